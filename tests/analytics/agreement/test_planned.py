"""What goes beyond a filed plan is exploratory; nothing else is."""

import pytest

from annotation.analytics.agreement.comparisons import compare
from annotation.analytics.agreement.metric_ratings import Basis
from annotation.analytics.agreement.planned import Planned, mark_comparisons, mark_rows
from annotation.analytics.agreement.report import build_report
from annotation.engine.rubric.rubric import Metric
from tests.analytics.agreement.test_report import make_ratings, random_counts

PLAN = Planned({"confusability"}, {frozenset({"EgoOops", "EgoPER"})})


def ratings(metric=Metric.CONFUSABILITY, *, dataset="EgoOops", **basis):
    return make_ratings(metric, random_counts(1), dataset=dataset, basis=Basis(**basis))


@pytest.mark.parametrize(
    ("metric", "campaign", "phase", "is_exploratory"),
    [
        (Metric.CONFUSABILITY, "Filed", "main", False),
        (Metric.HUMAN_PLAUSIBILITY, "Filed", "main", True),
        (Metric.HUMAN_PLAUSIBILITY, "Filed", "pilot", False),
        (Metric.HUMAN_PLAUSIBILITY, "Not filed", "main", False),
    ],
)
def test_rows_of_the_main_round_are_held_to_the_plan_of_their_campaign(
    metric, campaign, phase, is_exploratory
):
    rows = build_report([ratings(metric, campaign=campaign, phase=phase)], resamples=0)

    [row] = mark_rows(rows, {"Filed": PLAN})

    assert row.is_exploratory is is_exploratory


@pytest.mark.parametrize(
    ("metric", "other", "is_exploratory"),
    [
        (Metric.CONFUSABILITY, "EgoPER", False),
        (Metric.CONFUSABILITY, "Tea", True),
        (Metric.HUMAN_PLAUSIBILITY, "EgoPER", True),
    ],
)
def test_differences_of_data_sets_need_their_metric_and_their_pair_in_the_plan(
    metric, other, is_exploratory
):
    there = compare(ratings(metric), ratings(metric, dataset=other), resamples=10)
    back = compare(ratings(metric, dataset=other), ratings(metric), resamples=10)

    marked = mark_comparisons([there, back], PLAN)

    assert [item.is_exploratory for item in marked] == [is_exploratory] * 2
    assert mark_comparisons([there, back], None) == (there, back)


@pytest.mark.parametrize(
    ("metric", "is_exploratory"),
    [(Metric.CONFUSABILITY, False), (Metric.HUMAN_PLAUSIBILITY, True)],
)
def test_differences_of_rounds_need_only_their_metric_in_the_plan(metric, is_exploratory):
    before, after = (ratings(metric, rounds=(number,), phase="main") for number in (1, 2))

    [marked] = mark_comparisons([compare(before, after, resamples=10)], PLAN)

    assert (marked.dataset, marked.is_exploratory) == ("EgoOops", is_exploratory)
