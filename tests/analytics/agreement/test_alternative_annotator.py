import numpy as np
import pytest

from annotation.analytics.agreement.alternative_annotator import (
    NO_SHARED_UNITS,
    TOO_FEW_HUMANS,
    Scoring,
    alternative_annotator_test,
)

ACCURACY = {"scoring": Scoring.ACCURACY, "epsilon": 0.1}


def humans(units, *, seed=0, noise=0.2):
    """Three people who mostly agree on yes (1) or no (0), and what they agree on."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 2, units).astype(float)
    flips = rng.random((units, 3)) < noise
    return np.where(flips, 1 - truth[:, np.newaxis], truth[:, np.newaxis]), truth


def test_model_that_says_what_people_agree_on_wins_against_all():
    answers, truth = humans(100)

    tested = alternative_annotator_test(answers, truth, **ACCURACY)

    assert (tested.won_against, tested.winning_rate, tested.passes) == ((0, 1, 2), 1.0, True)
    assert min(tested.advantages) > 0.9
    assert tested.units == (100, 100, 100)


def test_model_that_guesses_wins_against_nobody():
    answers, _ = humans(100)
    guesses = np.random.default_rng(1).integers(0, 2, 100).astype(float)

    tested = alternative_annotator_test(answers, guesses, **ACCURACY)

    assert (tested.won_against, tested.winning_rate, tested.passes) == ((), 0.0, False)


def test_fewer_than_30_shared_units_are_tested_by_rank():
    answers, truth = humans(40)
    answers[:15, 0] = np.nan

    tested = alternative_annotator_test(answers, truth, **ACCURACY)

    assert tested.units == (25, 40, 40)


def test_on_scales_the_nearer_answer_wins():
    answers = np.array([[1.0, 3.0, 3.0], [5.0, 4.0, 4.0], [2.0, 2.0, 2.0]])
    model = np.array([2.0, 4.0, 5.0])

    tested = alternative_annotator_test(answers, model, scoring=Scoring.NEGATIVE_RMSE, epsilon=0.1)

    assert tested.advantages == pytest.approx((2 / 3, 2 / 3, 2 / 3))


@pytest.mark.parametrize(
    ("answers", "reason"),
    [(np.zeros((40, 2)), TOO_FEW_HUMANS), (np.full((40, 3), np.nan), NO_SHARED_UNITS)],
)
def test_says_why_nothing_can_be_tested(answers, reason):
    tested = alternative_annotator_test(answers, np.zeros(40), **ACCURACY)

    assert (tested.winning_rate, tested.reason, tested.passes) == (None, reason, False)
