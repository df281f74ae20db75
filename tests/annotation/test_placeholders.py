"""Recordings of placeholders: nobody rates their picture, and figures leave it out."""

import importlib

import pytest
from django.apps import apps
from django.urls import reverse

from annotation.analytics.agreement.report import build_report
from annotation.engine.corpus.procedure import Trace as TraceValue
from annotation.engine.ratings.changes import Answer, RatingChange, RatingKey
from annotation.engine.rubric.rubric import Metric
from annotation.forms.campaigns.campaigns import CampaignForm
from annotation.models import Dataset, Rating, Trace
from annotation.selectors.figures.report import ReportScope, report_inputs, report_rounds
from annotation.selectors.ratings.assignments import rating_sheet
from annotation.selectors.ratings.queue import queue_of
from annotation.services.ratings.saving import InvalidChangeError, save_changes
from annotation.views.videos.videos import video_url
from tests.annotation.rating_changes import AT
from tests.annotation.stored_ratings import rate
from tests.factories import (
    AssignmentFactory,
    CampaignFactory,
    DatasetFactory,
    EventFactory,
    TakeFactory,
    TraceFactory,
    VideoIngestFactory,
)

pytestmark = pytest.mark.django_db

OF_THE_PICTURE = {Metric.VIDEO_PLAUSIBILITY, Metric.TEXT_VIDEO_GROUNDING}


@pytest.fixture
def dataset(owner) -> Dataset:
    """A filmed trace and one of placeholders, with a reference that is filmed."""
    dataset = DatasetFactory(name="Tea", owner=owner)
    take = TakeFactory(dataset=dataset, video=VideoIngestFactory(video__dataset=dataset).video)
    for uid, has_placeholders in (("filmed", False), ("empty", True)):
        trace = TraceFactory(
            dataset=dataset, take=take, uid=uid, video_stem=uid, has_placeholders=has_placeholders,
            video=VideoIngestFactory(video__dataset=dataset).video,
        )  # fmt: skip
        EventFactory(trace=trace, index=0)
    return dataset


@pytest.fixture
def empty(dataset) -> Trace:
    return dataset.traces.get(uid="empty")


def test_raters_neither_see_nor_rate_a_picture_of_placeholders(empty, annotator, annotator_client):
    held = AssignmentFactory(trace=empty, rater=annotator)

    html = annotator_client.get(reverse("audit", args=[held.public_id])).content.decode()

    assert html.count("<video") == 1
    assert "<b>Video Plausibility</b> not available: this trace has no video." in html
    assert OF_THE_PICTURE.isdisjoint(key.metric for key in rating_sheet(held).missing)
    own = annotator_client.get(video_url(empty.video, annotator))
    assert own.status_code == 404
    [card] = queue_of(annotator)
    assert card.open_traces[0].video_s is None
    about_picture = RatingChange(
        sequence=1, key=RatingKey(0, Metric.VIDEO_PLAUSIBILITY), answer=Answer("4"),
        base_revision=0, rated_at=AT,
    )  # fmt: skip
    with pytest.raises(InvalidChangeError, match="this trace has none"):
        save_changes(
            public_id=held.public_id, client_id="tab", changes=[about_picture], actor=annotator
        )


def test_a_filmed_trace_is_asked_as_before(dataset, annotator):
    held = AssignmentFactory(trace=dataset.traces.get(uid="filmed"), rater=annotator)

    assert {key.metric for key in rating_sheet(held).missing} >= OF_THE_PICTURE


def test_researchers_watch_placeholders_and_are_told(dataset, empty, owner, owner_client):
    watching = owner_client.get(reverse("trace-detail", args=[empty.public_id])).content.decode()
    as_rater = owner_client.get(reverse("trace-preview", args=[empty.public_id])).content.decode()
    page = owner_client.get(reverse("dataset-detail", args=[dataset.public_id])).content.decode()

    assert (watching.count("<video"), as_rater.count("<video")) == (2, 1)
    assert "1 recording is a placeholder, made without a video model." in page
    labels = [label for _, label in CampaignForm(owner).fields["datasets"].choices]
    assert labels == ["Tea (1 recording is a placeholder, rated from the steps)"]


def test_figures_leave_answers_about_placeholders_apart_and_say_so(dataset, owner):
    campaign = CampaignFactory(name="Main", owner=owner)
    for trace in dataset.traces.order_by("uid"):
        for value in ("1", "5"):
            held = AssignmentFactory(campaign=campaign, trace=trace)
            rate(held, trace.events.get(), Metric.VIDEO_PLAUSIBILITY, value)
            rate(held, None, Metric.TEXT_VIDEO_GROUNDING, value)
            rate(held, trace.events.get(), Metric.CONFUSABILITY, value)
    scope = ReportScope(dataset, report_rounds(owner, campaign="Main"))

    rows = {row.metric: row for row in build_report(report_inputs(scope), resamples=0)}

    said = {metric: (row.units, row.ratings, row.beside.note) for metric, row in rows.items()}
    note = "Left apart: 2 answers about recordings of placeholders."
    assert said[Metric.VIDEO_PLAUSIBILITY] == (1, 2, note)
    assert said[Metric.TEXT_VIDEO_GROUNDING] == (1, 2, note)
    assert said[Metric.CONFUSABILITY] == (2, 4, "")
    # Nothing was thrown away.
    assert Rating.objects.filter(metric__in=OF_THE_PICTURE).count() == 8


@pytest.mark.parametrize(
    ("clips", "expected"),
    [
        ("bridge", True),
        ("bridge, Kling", True),
        ("Kling, bridge", False),
        ("manual", False),
        ("", False),
    ],
)
def test_provenance_says_whether_clips_are_placeholders(clips, expected):
    trace = TraceValue(
        uid="t", name="t", take_uid="k", steps=(), events=(), provenance={"clips": clips}
    )

    assert trace.has_placeholders is expected


def test_traces_of_an_earlier_version_are_marked(empty):
    Trace.objects.update(has_placeholders=False)
    Trace.objects.filter(uid="empty").update(provenance={"clips": "bridge"})
    Trace.objects.filter(uid="filmed").update(provenance={"clips": "Kling, bridge"})

    migration = importlib.import_module("annotation.migrations.0037_known_placeholders")
    migration.mark_placeholders(apps, None)

    assert list(Trace.objects.filter(has_placeholders=True).values_list("uid", flat=True)) == [
        "empty"
    ]
