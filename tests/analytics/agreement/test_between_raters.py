import numpy as np
import pytest

from annotation.analytics.agreement.agreement import krippendorff_alpha
from annotation.analytics.agreement.answers import Answers
from annotation.analytics.agreement.between_raters import (
    SelfAgreement,
    alpha_without_each,
    self_agreement,
)
from annotation.engine.rubric.rubric import Level


@pytest.mark.parametrize("level", list(Level))
def test_alpha_without_each_is_alpha_of_the_table_without_that_column(level):
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 5, (60, 1))
    table = np.clip(truth + rng.integers(-1, 2, (60, 5)), 0, 4)
    table[rng.random(table.shape) < 0.3] = -1

    found = alpha_without_each(Answers.of_table(table, 5), level)

    expected = [
        krippendorff_alpha(Answers.of_table(np.delete(table, rater, axis=1), 5).counts, level).value
        for rater in range(5)
    ]
    assert found.tolist() == pytest.approx(expected, abs=1e-12)


def test_alpha_without_the_one_who_differs_is_undefined():
    table = np.array([[0, 0, 1], [0, 0, 0]])

    found = alpha_without_each(Answers.of_table(table, 2), Level.NOMINAL)

    assert np.isnan(found).tolist() == [False, False, True]


def test_self_agreement_compares_the_first_answer_with_the_last():
    units, raters = np.array([0, 0, 1, 0, 1, 0]), np.array([0, 1, 0, 0, 0, 0])
    values = np.array([3, 2, 1, 4, 1, 3])

    # Rater 0 said 3, 4, 3 of unit 0 and 1, 1 of unit 1; rater 1 answered once.
    assert self_agreement(units, raters, values, rater_count=2) == SelfAgreement(1.0, 2)
    assert self_agreement(units[:4], raters[:4], values[:4], rater_count=2) == SelfAgreement(0.0, 1)
    assert self_agreement(units[:3], raters[:3], values[:3], rater_count=2) == SelfAgreement(
        None, 0
    )
