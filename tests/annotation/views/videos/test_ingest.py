"""The data set's page shows how far its recordings are, starts their ingestion and cancels it."""

import pytest
from django.urls import reverse

from annotation.models import Job, JobStatus, VideoIngest
from annotation.services.videos.ingest import JOB_KIND
from tests.factories import (
    DatasetFactory,
    StepFactory,
    TakeFactory,
    TraceFactory,
    TraceStepFactory,
    VideoFactory,
    VideoIngestFactory,
)


@pytest.fixture
def dataset(owner):
    return DatasetFactory(owner=owner)


def add_video(dataset, stem):
    video = VideoFactory(dataset=dataset, stem=stem)
    TakeFactory(dataset=dataset, video=video, video_stem=stem)
    return video


def add_job(dataset, stem, status, **fields):
    job = Job.objects.create(kind=JOB_KIND, key=stem, status=status, **fields)
    VideoIngest.objects.create(video=add_video(dataset, stem), digest="0", job=job)
    return job


def text_of(response):
    return " ".join(response.content.decode().split())


def test_dataset_page_shows_every_state(owner_client, dataset):
    add_video(dataset, "untouched")
    VideoIngestFactory(video=add_video(dataset, "plain"))
    VideoIngestFactory(
        video=add_video(dataset, "made"),
        proxy={"width": 2, "height": 2, "frame_rate": 25.0},
        reasons=["browsers cannot play hevc"],
    )
    add_job(dataset, "broken", JobStatus.FAILED, error="broken.mp4 is empty")
    add_job(dataset, "waits", JobStatus.QUEUED)

    text = text_of(owner_client.get(reverse("dataset-detail", args=[dataset.public_id])))

    for words in ("1 failed", "1 waiting", "1 not ingested", "1 with a proxy", "1 plays as it is"):
        assert words in text
    assert "<b>broken</b> broken.mp4 is empty" in text
    assert "<b>made</b> browsers cannot play hevc" in text
    assert "Ingest what is missing" in text


@pytest.mark.parametrize("video_count", [1, 3])
def test_dataset_page_asks_once_for_all_recordings(
    owner_client, dataset, video_count, django_assert_num_queries
):
    for number in range(video_count):
        VideoIngestFactory(video=add_video(dataset, f"video{number}"))

    with django_assert_num_queries(4):
        owner_client.get(reverse("dataset-ingest", args=[dataset.public_id]))


def test_ingest_state_is_asked_for_until_all_is_done(owner_client, dataset):
    job = add_job(dataset, "waits", JobStatus.QUEUED)
    address = reverse("dataset-ingest", args=[dataset.public_id])

    waiting = text_of(owner_client.get(address))
    Job.objects.filter(pk=job.pk).update(status=JobStatus.CANCELLED)
    stopped = text_of(owner_client.get(address))

    assert f'data-hx-get="{address}"' in waiting
    assert "data-hx-get" not in stopped


def test_ingest_state_is_not_found_by_others(outsider_client, dataset):
    address = reverse("dataset-ingest", args=[dataset.public_id])

    assert outsider_client.get(address).status_code == 404


def test_ingest_button_queues_and_cancel_stops(owner_client, dataset):
    add_video(dataset, "untouched")

    owner_client.post(reverse("dataset-ingest", args=[dataset.public_id]))
    queued = list(Job.objects.values_list("kind", "status"))
    owner_client.post(reverse("dataset-ingest-cancel", args=[dataset.public_id]))

    assert queued == [(JOB_KIND, JobStatus.QUEUED)]
    assert list(Job.objects.values_list("status", flat=True)) == [JobStatus.CANCELLED]


def test_take_page_shows_the_picture_of_each_step(owner_client, dataset):
    take = TakeFactory(dataset=dataset, video=VideoFactory(dataset=dataset))
    VideoIngestFactory(video=take.video)
    for index in range(2):
        StepFactory(take=take, index=index)

    html = owner_client.get(reverse("take-detail", args=[take.public_id])).content.decode()

    # The factory's ingestion has a picture of the first step only.
    assert html.count('class="step-picture"') == 1
    assert 'step-0000/" width="112" height="63"' in html


def test_trace_page_shows_the_pictures_of_both_sides(owner_client, dataset):
    trace = TraceFactory(dataset=dataset, video=VideoFactory(dataset=dataset))
    trace.take.video = VideoFactory(dataset=dataset)
    trace.take.save()
    for video in (trace.video, trace.take.video):
        VideoIngestFactory(video=video)
    step = StepFactory(take=trace.take)
    TraceStepFactory(trace=trace, reference_step=step)

    html = owner_client.get(reverse("trace-detail", args=[trace.public_id])).content.decode()

    assert html.count('class="step-picture"') == 2


@pytest.mark.parametrize("name", ["take-detail", "trace-detail"])
@pytest.mark.parametrize("step_count", [1, 3])
def test_pictures_cost_no_query(
    owner_client, dataset, name, step_count, django_assert_max_num_queries
):
    trace = TraceFactory(dataset=dataset, video=VideoFactory(dataset=dataset))
    VideoIngestFactory(video=trace.video)
    for index in range(step_count):
        step = StepFactory(take=trace.take, index=index)
        TraceStepFactory(trace=trace, index=index, reference_step=step)
    row = trace.take if name == "take-detail" else trace

    with django_assert_max_num_queries(16):
        owner_client.get(reverse(name, args=[row.public_id]))
