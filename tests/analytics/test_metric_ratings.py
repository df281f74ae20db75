import numpy as np
import pytest

from annotation.analytics.metric_ratings import (
    MetricRatings,
    RatedUnit,
    RatingCell,
    tabulate_ratings,
)
from annotation.engine.rubric import Metric

UNITS = (RatedUnit(key=70, cluster=7, expected=3), RatedUnit(key=50, cluster=5, expected=2))


def test_tabulate_ratings_counts_by_unit_and_value():
    cells = (
        RatingCell(unit=50, value="2", count=1),
        RatingCell(unit=70, value="5", count=2, implied=1),
        RatingCell(unit=70, value="1", count=1),
    )

    ratings = tabulate_ratings(
        dataset="EgoOops",
        metric=Metric.SEQUENCE_CONSISTENCY,
        units=UNITS,
        cells=cells,
        rater_count=3,
    )

    assert ratings.counts.tolist() == [[1, 0, 0, 0, 2], [0, 1, 0, 0, 0]]
    assert ratings.expected.tolist() == [3, 2]
    assert ratings.clusters.tolist() == [7, 5]
    assert ratings.logic_tallies is None
    assert (ratings.rating_count, ratings.missing_count, ratings.implied_count) == (4, 1, 1)


def test_tabulate_ratings_keeps_the_confidence_of_procedure_logic():
    cells = (
        RatingCell(unit=70, value="yes", confidence=3, count=2),
        RatingCell(unit=70, value="no", confidence=2, count=1),
        RatingCell(unit=50, value="no", count=1),
    )

    ratings = tabulate_ratings(
        dataset="EgoOops", metric=Metric.PROCEDURE_LOGIC, units=UNITS, cells=cells, rater_count=3
    )

    assert ratings.counts.tolist() == [[1, 2], [1, 0]]
    assert ratings.logic_tallies.tolist() == [[[0, 1, 0], [0, 0, 2]], [[0, 0, 0], [0, 0, 0]]]


def test_extra_rating_does_not_make_up_for_a_missing_one():
    cells = (RatingCell(unit=70, value="yes", count=4), RatingCell(unit=50, value="no", count=1))

    ratings = tabulate_ratings(
        dataset="d", metric=Metric.ERROR_VALIDITY, units=UNITS, cells=cells, rater_count=4
    )

    assert ratings.missing_count == 1


def test_unit_is_one_row_of_the_table():
    cells = (RatingCell(unit=70, value="yes", confidence=3, count=2),)
    ratings = tabulate_ratings(
        dataset="d", metric=Metric.PROCEDURE_LOGIC, units=UNITS, cells=cells, rater_count=2
    )

    unit = ratings.unit(0)

    assert unit.counts.tolist() == [[0, 2]]
    assert unit.logic_tallies.tolist() == [[[0, 0, 0], [0, 0, 2]]]
    assert (unit.missing_count, ratings.unit(1).missing_count) == (1, 2)


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
