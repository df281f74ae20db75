"""The report's counts come from SQL and say what was rated, by how many, and what is missing."""

import numpy as np
import pytest
from django.utils import timezone

from annotation.analytics.metric_ratings import ratings_hash
from annotation.analytics.report import build_report
from annotation.engine.rubric import Metric
from annotation.models import Assignment, Campaign, Dataset, Rating
from annotation.selectors.report import report_inputs, report_scope
from tests.annotation.stored_ratings import rate
from tests.factories import (
    AssignmentFactory,
    CampaignFactory,
    DatasetFactory,
    EventFactory,
    TraceFactory,
    VideoFactory,
)


@pytest.fixture
def dataset(owner) -> Dataset:
    """Two traces, the second with a video, one event each, two raters on both."""
    dataset = DatasetFactory(name="Tea", owner=owner)
    traces = [
        TraceFactory(dataset=dataset, uid="a"),
        TraceFactory(dataset=dataset, uid="b", video=VideoFactory(dataset=dataset)),
    ]
    campaign = CampaignFactory(name="Main", owner=owner)
    for trace in traces:
        event = EventFactory(trace=trace, index=0)
        for value in ("4", "5"):
            assignment = AssignmentFactory(campaign=campaign, trace=trace)
            rate(assignment, event, Metric.CONFUSABILITY, value)
            rate(assignment, event, Metric.PROCEDURE_LOGIC, "no", confidence=int(value) - 3)
            rate(assignment, event, Metric.SEQUENCE_CONSISTENCY, "5", is_implied=True)
    return dataset


def inputs(user, **options):
    found = report_inputs(report_scope(user, dataset="Tea", **options))
    return {item.metric: item for item in found}


def test_report_inputs_count_values_per_event(owner, dataset, django_assert_num_queries):
    scope = report_scope(owner, dataset="Tea")
    with django_assert_num_queries(5):
        found = {item.metric: item for item in report_inputs(scope)}

    assert list(found) == list(Metric)
    confusability = found[Metric.CONFUSABILITY]
    assert confusability.counts.tolist() == [[0, 0, 0, 1, 1]] * 2
    assert confusability.expected.tolist() == [2, 2]
    assert confusability.clusters.tolist() == [0, 1]
    assert (confusability.rater_count, confusability.missing_count) == (4, 0)
    assert found[Metric.SEQUENCE_CONSISTENCY].implied_count == 4
    logic = found[Metric.PROCEDURE_LOGIC].logic_tallies
    assert np.array_equal(logic, [[[1, 1, 0], [0, 0, 0]]] * 2)
    assert found[Metric.ERROR_VALIDITY].missing_count == 4


def test_report_inputs_have_video_units_where_there_is_a_video(owner, dataset):
    found = inputs(owner)

    assert found[Metric.VIDEO_PLAUSIBILITY].unit_count == 1
    assert found[Metric.TEXT_VIDEO_GROUNDING].expected.tolist() == [2]


def test_report_inputs_keep_ratings_of_a_video_that_was_unlinked(owner, dataset):
    assignment = Assignment.objects.filter(trace__uid="b").first()
    rate(assignment, None, Metric.TEXT_VIDEO_GROUNDING, "3")
    dataset.traces.update(video=None)

    assert inputs(owner)[Metric.TEXT_VIDEO_GROUNDING].counts.tolist() == [[0, 0, 1, 0, 0]]


def test_report_inputs_leave_out_cleared_open_and_other_campaigns(owner, dataset):
    Rating.objects.filter(value="4").update(value="")
    first = Assignment.objects.get(
        trace__uid="a", ratings__metric=Metric.CONFUSABILITY, ratings__value="5"
    )
    Assignment.objects.filter(pk=first.pk).update(status="submitted", submitted_at=timezone.now())
    CampaignFactory(name="Other", owner=owner)

    assert inputs(owner)[Metric.CONFUSABILITY].rating_count == 2
    submitted = inputs(owner, is_submitted_only=True)[Metric.CONFUSABILITY]
    assert (submitted.rating_count, submitted.missing_count) == (1, 0)
    assert inputs(owner, campaign="Other")[Metric.CONFUSABILITY].rating_count == 0


def test_report_scope_hides_what_is_not_the_users(owner, outsider, annotator, dataset):
    for user in (outsider, annotator):
        with pytest.raises(Dataset.DoesNotExist):
            report_scope(user, dataset="Tea")
    Dataset.objects.update(is_shared=True)
    with pytest.raises(Campaign.DoesNotExist):
        report_scope(outsider, dataset="Tea", campaign="Main")

    assert inputs(outsider)[Metric.CONFUSABILITY].rating_count == 0
    assert inputs(None)[Metric.CONFUSABILITY].rating_count == 4


def test_what_cannot_be_judged_is_counted_apart_and_is_not_missing(owner, dataset):
    assignment = Assignment.objects.order_by("pk").first()
    before = inputs(owner)[Metric.ERROR_VALIDITY]
    event = assignment.trace.events.get()
    rate(assignment, event, Metric.ERROR_VALIDITY, "", cannot_judge="unclear")

    after = inputs(owner)[Metric.ERROR_VALIDITY]
    row = build_report([after], resamples=0)[0]

    assert (before.missing_count, before.unjudged_count) == (4, 0)
    assert (after.missing_count, after.unjudged_count, after.rating_count) == (3, 1, 0)
    assert after.unjudged.tolist() == [1, 0]
    assert (row.missing, row.unjudged, row.to_dict()["unjudged"]) == (3, 1, 1)
    assert ratings_hash([before]) != ratings_hash([after])


def test_metrics_of_the_video_are_not_due_from_who_goes_without_it(owner, dataset):
    assignment = Assignment.objects.filter(trace__uid="b").order_by("pk").first()
    before = inputs(owner)[Metric.VIDEO_PLAUSIBILITY]
    Assignment.objects.filter(pk=assignment.pk).update(is_without_video=True)

    after = inputs(owner)

    assert (before.expected.tolist(), before.missing_count) == ([2], 2)
    assert after[Metric.VIDEO_PLAUSIBILITY].expected.tolist() == [1]
    assert after[Metric.ERROR_VALIDITY].expected.tolist() == [2, 2]
