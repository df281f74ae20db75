import numpy as np
import pytest

from annotation.analytics.agreement.aggregates import Aggregate, AggregateKind, aggregate_ratings
from annotation.analytics.agreement.procedure_logic import NO_WEIGHTED_RATINGS
from annotation.engine.rubric.rubric import Metric
from tests.analytics.agreement.test_report import make_ratings


def test_percent_yes_is_over_ratings_beside_the_mean_over_events():
    ratings = make_ratings(Metric.ERROR_VALIDITY, [[0, 3], [1, 0], [0, 0]])

    assert aggregate_ratings(ratings) == Aggregate(
        kind=AggregateKind.PERCENT_YES,
        value=75.0,
        event_mean=50.0,
        text="75% yes",
        ratings=4,
        missing=5,
        reason="",
    )


def test_percent_yes_of_state_change_coherence_says_what_yes_means():
    ratings = make_ratings(Metric.STATE_CHANGE_COHERENCE, [[3, 1]])

    assert aggregate_ratings(ratings).text == "25% inconsistent"


def test_mean_is_over_ratings_beside_the_mean_over_events():
    ratings = make_ratings(Metric.CONFUSABILITY, [[0, 0, 0, 0, 1], [1, 1, 0, 0, 0]])

    assert aggregate_ratings(ratings) == Aggregate(
        kind=AggregateKind.MEAN,
        value=pytest.approx(8 / 3),
        event_mean=3.25,
        text="2.67",
        ratings=3,
        missing=3,
        reason="",
    )


def test_procedure_logic_is_confidence_weighted_and_counts_answers_without_confidence():
    confidences = np.array([2, 3, 3, 0], dtype=np.int8)
    ratings = make_ratings(Metric.PROCEDURE_LOGIC, [[1, 2], [1, 0]], confidences=confidences)

    assert aggregate_ratings(ratings) == Aggregate(
        kind=AggregateKind.CONFIDENCE_WEIGHTED,
        value=75.0,
        event_mean=75.0,
        text="75% broken",
        ratings=3,
        missing=2,
        reason="",
        left_out=1,
    )


def test_taxonomy_fit_is_a_distribution_with_its_modal_label():
    ratings = make_ratings(Metric.TAXONOMY_FIT, [[0, 0, 1, 0, 2, 0], [0, 0, 0, 0, 2, 0]])

    assert aggregate_ratings(ratings) == Aggregate(
        kind=AggregateKind.MODAL_SHARE,
        value=80.0,
        event_mean=pytest.approx((200 / 3 + 100) / 2),
        text="WE (80%), S (20%)",
        ratings=5,
        missing=1,
        reason="",
        labels=("WE",),
        shares=(("WE", 80.0), ("S", 20.0)),
    )


def test_taxonomy_fit_names_every_modal_label_of_a_tie():
    aggregate = aggregate_ratings(make_ratings(Metric.TAXONOMY_FIT, [[2, 0, 1, 0, 2, 0]]))

    assert (aggregate.labels, aggregate.label) == (("D", "WE"), "D/WE")
    assert aggregate.shares == (("D", 40.0), ("WE", 40.0), ("S", 20.0))


@pytest.mark.parametrize(
    ("metric", "value_count", "kind"),
    [
        (Metric.ERROR_VALIDITY, 2, AggregateKind.PERCENT_YES),
        (Metric.HUMAN_PLAUSIBILITY, 5, AggregateKind.MEAN),
        (Metric.TAXONOMY_FIT, 6, AggregateKind.MODAL_SHARE),
    ],
)
def test_aggregate_of_no_ratings_says_so(metric, value_count, kind):
    aggregate = aggregate_ratings(make_ratings(metric, np.zeros((2, value_count))))

    assert aggregate == Aggregate(kind, missing=6, reason="no ratings")


def test_procedure_logic_without_any_confidence_says_so():
    ratings = make_ratings(Metric.PROCEDURE_LOGIC, [[1, 2]])

    aggregate = aggregate_ratings(ratings)

    assert (aggregate.value, aggregate.reason) == (None, NO_WEIGHTED_RATINGS)
    assert (aggregate.ratings, aggregate.left_out) == (0, 3)
