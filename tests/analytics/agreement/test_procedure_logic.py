import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from annotation.analytics.agreement.procedure_logic import (
    NO_WEIGHTED_RATINGS,
    LogicAgreement,
    LogicScore,
    logic_agreement,
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

    assert score == LogicScore((0.75,), 0.75, ratings=3, reason="")


def test_overall_score_is_the_mean_over_rated_events():
    score = score_procedure_logic(tally([(1, 3), (0, 1)], [], [(0, 2)], [(1, 1)]))

    assert score.per_event == (0.75, None, 0.0, 1.0)
    assert score.overall == pytest.approx((0.75 + 0 + 1) / 3)
    assert score.ratings == 4


@pytest.mark.parametrize("tallies", [tally([], []), tally()])
def test_score_without_answers_says_why(tallies):
    score = score_procedure_logic(tallies)

    assert score == LogicScore((None,) * len(tallies), None, 0, NO_WEIGHTED_RATINGS)


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


def test_composite_counts_answers_without_confidence_as_polarity_only():
    # The third event has two answers without confidence, so 4 of 8 answers agree by pair.
    tallies = tally([(1, 3), (1, 2)], [(0, 1), (0, 1)], [], [(0, 3), (1, 1)])
    counts = tallies.sum(axis=2)
    counts[2] = [1, 1]

    agreed = logic_agreement(counts, tallies)

    # Values: yes 4, no 4; De = 2 * 16 / 56, Do = 4 / 8.
    polarity = 1 - 0.5 / (32 / 56)
    # Two pairs each: yes 3, 2 differ wholly (alpha 0); no 1, 1 do not vary, so they are left out.
    assert agreed == LogicAgreement(
        polarity=pytest.approx(polarity),
        confidence_yes=pytest.approx(0.0),
        n_yes=3,
        confidence_no=None,
        n_no=3,
        confidence=pytest.approx(0.0),
        signed_ordinal=agreed.signed_ordinal,
    )
    assert agreed.composite == pytest.approx(0.7 * polarity)
    assert agreed.signed_ordinal is not None


def test_composite_is_undefined_where_a_part_is():
    unanimous = tally([(0, 1), (0, 2)], [(0, 3), (0, 3)], [(0, 2), (0, 2)])
    certain = tally([(0, 3), (1, 3)], [(0, 3), (0, 3)])

    assert logic_agreement(unanimous.sum(axis=2), unanimous).composite is None
    assert logic_agreement(certain.sum(axis=2), certain).composite is None
    assert logic_agreement(certain.sum(axis=2), certain).polarity is not None
