"""How far apart the ratings of a unit are, by hand and against what it must be at its ends."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from annotation.analytics.agreement.agreement import disagreement_scores
from annotation.engine.rubric.rubric import Level


def test_nominal_score_is_the_share_of_pairs_that_differ():
    counts = np.array([[2, 2], [3, 1], [4, 0]])

    scores = disagreement_scores(counts, Level.NOMINAL)

    assert scores.tolist() == pytest.approx([4 / 6, 3 / 6, 0])


def test_interval_score_is_squared_over_the_width_of_the_scale():
    # 1 and 4 and 4 of 1 to 5: two of three pairs are 3 apart, of 4 at most.
    scores = disagreement_scores(np.array([[1, 0, 0, 2, 0]]), Level.INTERVAL)

    assert scores.tolist() == pytest.approx([2 / 3 * 9 / 16])


def test_ordinal_score_weighs_a_step_by_how_often_its_values_were_given():
    # Totals 1, 4, 3 of three values: mid-ranks 0.5, 3, 6.5; the ends are 6 apart.
    counts = np.array([[1, 1, 0], [0, 2, 0], [0, 1, 1], [0, 0, 2]])

    scores = disagreement_scores(counts, Level.ORDINAL)

    assert scores.tolist() == pytest.approx([(2.5 / 6) ** 2, 0, (3.5 / 6) ** 2, 0])


def test_a_single_rating_has_no_score_and_counts_for_none():
    alone = np.array([[1, 0, 1], [0, 1, 0]])

    scores = disagreement_scores(alone, Level.ORDINAL)

    assert (scores[0], bool(np.isnan(scores[1]))) == (1.0, True)
    assert disagreement_scores(alone[:1], Level.ORDINAL).tolist() == [1.0]


def test_no_unit_has_a_score_where_nobody_met():
    assert np.isnan(disagreement_scores(np.array([[1, 0], [0, 0]]), Level.ORDINAL)).all()


@given(arrays(np.int64, (4, 5), elements=st.integers(0, 4)), st.sampled_from(list(Level)))
def test_scores_lie_between_0_and_1_and_are_0_only_for_unanimity(counts, level):
    scores = disagreement_scores(counts, level)

    for row, score in zip(counts, scores, strict=True):
        if row.sum() < 2:
            assert np.isnan(score)
        else:
            assert -1e-12 <= score <= 1 + 1e-12
            assert (score < 1e-12) == (np.count_nonzero(row) == 1)
