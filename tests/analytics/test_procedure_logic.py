import krippendorff
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from annotation.analytics.agreement import NO_PAIRS, NO_RATINGS, NO_VARIATION
from annotation.analytics.procedure_logic import (
    NO_WEIGHTED_RATINGS,
    LogicScore,
    published_composite_agreement,
    score_procedure_logic,
)


def tally(*events):
    """Turn lists of (broken, confidence) into tallies, (N, 2, 3)."""
    tallies = np.zeros((len(events), 2, 3), dtype=np.int64)
    for row, answers in enumerate(events):
        for broken, confidence in answers:
            tallies[row, broken, confidence - 1] += 1
    return tallies


def test_score_of_the_published_example_is_three_quarters():
    # PIE-V, below eq. 1: two raters say yes with confidence 3, one says no with confidence 2.
    score = score_procedure_logic(tally([(1, 3), (1, 3), (0, 2)]))

    assert score == LogicScore((0.75,), 0.75, rated_events=1, ratings=3, reason="")


def test_overall_score_is_the_mean_over_rated_events():
    score = score_procedure_logic(tally([(1, 3), (0, 1)], [], [(0, 2)], [(1, 1)]))

    assert score.per_event == (0.75, None, 0.0, 1.0)
    assert score.overall == pytest.approx((0.75 + 0 + 1) / 3)
    assert (score.rated_events, score.ratings) == (3, 4)


@pytest.mark.parametrize("tallies", [tally([], []), tally()])
def test_score_without_answers_says_why(tallies):
    score = score_procedure_logic(tallies)

    assert score == LogicScore((None,) * len(tallies), None, 0, 0, NO_WEIGHTED_RATINGS)


@given(arrays.arrays(np.int64, (6, 2, 3), elements=st.integers(0, 5)))
def test_score_follows_equation_one(tallies):
    score = score_procedure_logic(tallies)

    for event, found in zip(tallies, score.per_event, strict=True):
        answers = [
            (broken, confidence)
            for broken in (0, 1)
            for confidence in (1, 2, 3)
            for _ in range(event[broken, confidence - 1])
        ]
        total = sum(confidence for _, confidence in answers)
        if not total:
            assert found is None
        else:
            weighted = sum(broken * confidence for broken, confidence in answers)
            assert found == pytest.approx(weighted / total, abs=1e-15)
            assert 0 <= found <= 1


def test_composite_weighs_answers_and_confidences():
    tallies = np.random.default_rng(2).integers(0, 4, (40, 2, 3))

    composite = published_composite_agreement(tallies)

    polarity = krippendorff.alpha(value_counts=tallies.sum(axis=2), level_of_measurement="nominal")
    among_no, among_yes = (
        krippendorff.alpha(value_counts=tallies[:, answer], level_of_measurement="ordinal")
        for answer in (0, 1)
    )
    no_count, yes_count = tallies.sum(axis=(0, 2))
    confidence = (among_no * no_count + among_yes * yes_count) / (no_count + yes_count)
    assert composite.confidence == pytest.approx(confidence, abs=1e-12)
    assert composite.value == pytest.approx(0.7 * polarity + 0.3 * confidence, abs=1e-12)
    assert composite.reason == ""


def test_composite_takes_another_weight():
    tallies = np.random.default_rng(2).integers(0, 4, (40, 2, 3))

    composite = published_composite_agreement(tallies, polarity_weight=1.0)

    assert composite.value == composite.polarity.value


def test_composite_uses_the_group_whose_confidence_varies():
    # Everybody who said yes was certain; the no answers agree perfectly on 1 and on 2.
    tallies = tally([(1, 3), (1, 3)], [(0, 1), (0, 1)], [(0, 2), (0, 2)])

    composite = published_composite_agreement(tallies)

    assert composite.confidence_among_yes.reason == NO_VARIATION
    assert (composite.confidence, composite.value) == (1.0, 1.0)


@pytest.mark.parametrize(
    ("tallies", "reason"),
    [
        (
            tally([(1, 3), (1, 3)], [(1, 3), (1, 3)]),
            f"answers: {NO_VARIATION}; confidence of yes answers: {NO_VARIATION}; "
            f"confidence of no answers: {NO_RATINGS}",
        ),
        (
            tally([(1, 3), (0, 3)], [(1, 3), (0, 2)]),
            f"confidence of yes answers: {NO_PAIRS}; confidence of no answers: {NO_PAIRS}",
        ),
        (
            tally([(0, 1), (0, 2)], [(0, 3), (0, 1)]),
            f"answers: {NO_VARIATION}",
        ),
    ],
)
def test_composite_that_cannot_be_computed_says_why(tallies, reason):
    composite = published_composite_agreement(tallies)

    assert (composite.value, composite.reason) == (None, reason)
