import numpy as np
import pytest

from annotation.analytics.metric_ratings import (
    MetricRatings,
    RatingChunk,
    RatingTally,
    ratings_hash,
)
from annotation.engine.rubric import Metric

EXPECTED, CLUSTERS = np.array([3, 2]), np.array([7, 5])


def chunk(*answers):
    """Answers as (unit, place of the value, confidence, is implied, rater)."""
    table = np.array(answers, dtype=np.int64).reshape(-1, 5)
    return RatingChunk(table[:, 0], table[:, 1], table[:, 2], table[:, 3] > 0, table[:, 4])


def tallied(metric, *chunks, is_unit=None):
    tally = RatingTally(metric, unit_count=2, rater_count=4)
    for item in chunks:
        tally.add(item)
    return tally.ratings(dataset="d", expected=EXPECTED, clusters=CLUSTERS, is_unit=is_unit)


def test_tally_counts_by_unit_and_value_over_chunks():
    ratings = tallied(
        Metric.SEQUENCE_CONSISTENCY,
        chunk((1, 1, 0, 0, 0), (0, 4, 0, 1, 0)),
        chunk(),
        chunk((0, 4, 0, 0, 2), (0, 0, 0, 0, 3)),
    )

    assert ratings.counts.tolist() == [[1, 0, 0, 0, 2], [0, 1, 0, 0, 0]]
    assert ratings.expected.tolist() == [3, 2]
    assert ratings.clusters.tolist() == [7, 5]
    assert ratings.logic_tallies is None
    assert (ratings.rating_count, ratings.missing_count, ratings.implied_count) == (4, 1, 1)
    assert ratings.rater_count == 3


def test_tally_keeps_the_confidence_of_procedure_logic():
    answers = chunk((0, 1, 3, 0, 0), (0, 1, 3, 0, 1), (0, 0, 2, 0, 2), (1, 0, 0, 0, 0))

    ratings = tallied(Metric.PROCEDURE_LOGIC, answers)

    assert ratings.counts.tolist() == [[1, 2], [1, 0]]
    assert ratings.logic_tallies.tolist() == [[[0, 1, 0], [0, 0, 2]], [[0, 0, 0], [0, 0, 0]]]


@pytest.mark.parametrize("answer", [(2, 0, 0, 0, 0), (0, 5, 0, 0, 0)])
def test_tally_refuses_a_unit_or_value_that_does_not_exist(answer):
    with pytest.raises(IndexError):
        tallied(Metric.CONFUSABILITY, chunk(answer))


def test_tally_keeps_units_that_are_none_any_more_but_were_rated():
    rated = chunk((1, 2, 0, 0, 0))

    kept = tallied(Metric.VIDEO_PLAUSIBILITY, rated, is_unit=np.array([False, False]))

    assert (kept.counts.tolist(), kept.clusters.tolist()) == ([[0, 0, 1, 0, 0]], [5])
    assert tallied(Metric.VIDEO_PLAUSIBILITY, is_unit=np.array([True, False])).unit_count == 1


def test_extra_rating_does_not_make_up_for_a_missing_one():
    four = [(0, 1, 0, 0, rater) for rater in range(4)]

    assert tallied(Metric.ERROR_VALIDITY, chunk(*four, (1, 0, 0, 0, 0))).missing_count == 1


def test_ratings_hash_is_of_all_that_figures_come_from():
    one = tallied(Metric.CONFUSABILITY, chunk((0, 1, 0, 0, 0)))
    others = [
        tallied(Metric.CONFUSABILITY, chunk((0, 2, 0, 0, 0))),
        tallied(Metric.CONFUSABILITY, chunk((1, 1, 0, 0, 0))),
        tallied(Metric.CONFUSABILITY, chunk((0, 1, 0, 1, 0))),
        tallied(Metric.HUMAN_PLAUSIBILITY, chunk((0, 1, 0, 0, 0))),
    ]

    assert ratings_hash([one]) == ratings_hash(
        [tallied(Metric.CONFUSABILITY, chunk((0, 1, 0, 0, 3)))]
    )
    assert len({ratings_hash([item]) for item in (one, *others)}) == 5


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"counts": np.zeros((2, 3), int)}, r"counts has shape \(2, 3\); expected \(2, 5\)"),
        ({"expected": np.zeros(3, int)}, r"expected has shape \(3,\); expected \(2,\)"),
        ({"clusters": np.zeros((2, 1), int)}, r"clusters has shape \(2, 1\); expected \(2,\)"),
        ({"logic_tallies": np.zeros((2, 2, 3), int)}, "logic_tallies belong to the metric"),
        ({"logic_tallies": np.zeros((2, 3), int)}, r"logic_tallies has shape \(2, 3\)"),
    ],
)
def test_metric_ratings_refuse_arrays_of_the_wrong_shape(change, message):
    fields = {
        "dataset": "d",
        "metric": Metric.CONFUSABILITY,
        "counts": np.zeros((2, 5), int),
        "expected": np.zeros(2, int),
        "clusters": np.zeros(2, int),
        "rater_count": 0,
    }

    with pytest.raises(ValueError, match=message):
        MetricRatings(**(fields | change))
