"""A recording that browsers cannot play is watched through its proxy, frame for frame."""

import threading
from fractions import Fraction

import pytest
from django.db import connection
from django.urls import reverse

from annotation.services.ingest import queue_ingest
from annotation.services.ingest_work import ingest_videos
from annotation.services.videos import link_videos
from tests.e2e.test_filmed_trace import NUMBER_AT
from tests.e2e.test_generate_and_audit import log_in
from tests.factories import (
    AssignmentFactory,
    CampaignFactory,
    CampaignRaterFactory,
    DatasetFactory,
    EventFactory,
    StepFactory,
    TakeFactory,
    TraceFactory,
    TraceStepFactory,
    UserFactory,
)
from tests.generation.backends.video.recordings import BIT_COUNT, write_recording

pytestmark = pytest.mark.e2e

RATE, FRAME_COUNT, STEP_COUNT = Fraction(30000, 1001), 180, 3
SOUGHT_FRAMES = (0, 1, 17, 59, 60, 61, 100, 101, 119, 150, 178, 33, 2, 179)


@pytest.fixture
def assignment(transactional_db, settings, tmp_path):
    """Return a rater's assignment of a trace and its take, both filmed as MPEG-4 in AVI."""
    settings.MEDIA_ROOT = tmp_path / "media"
    dataset = DatasetFactory()
    take = TakeFactory(dataset=dataset, video_stem="reference")
    trace = TraceFactory(dataset=dataset, take=take, video_stem="trace")
    for index in range(STEP_COUNT):
        step = StepFactory(take=take, index=index)
        TraceStepFactory(trace=trace, index=index, reference_step=step)
    EventFactory(trace=trace)
    for stem in ("reference", "trace"):
        write_recording(
            tmp_path / f"{stem}.avi", codec="mpeg4", rate=RATE, frame_count=FRAME_COUNT,
            size=(384, 216), sound=None, parameters="bf=2",
        )  # fmt: skip
    link_videos(dataset=dataset, folder=str(tmp_path), pattern="{stem}.avi")
    worker = threading.Thread(target=_ingest, args=[dataset])
    worker.start()
    worker.join()
    campaign, rater = CampaignFactory(), UserFactory(username="noor")
    CampaignRaterFactory(campaign=campaign, rater=rater)
    return AssignmentFactory(campaign=campaign, rater=rater, trace=trace)


def _ingest(dataset):
    try:
        ingest_videos(job_ids=queue_ingest(dataset=dataset, actor=None))
    finally:
        connection.close()


def test_proxy_shows_in_the_browser_the_frame_that_the_recording_has_then(
    page, live_server, assignment
):
    log_in(page, live_server, "noor")

    page.goto(live_server.url + reverse("audit", args=[assignment.public_id]))
    page.wait_for_selector("html[data-ready]")
    page.wait_for_function("() => document.querySelectorAll('video')[1].readyState >= 2")

    middles_s = [float((number + Fraction(1, 2)) / RATE) for number in SOUGHT_FRAMES]
    shown = [page.evaluate(NUMBER_AT, [at_s, BIT_COUNT]) for at_s in middles_s]
    length_s = page.evaluate("() => document.querySelectorAll('video')[1].duration")
    assert tuple(shown) == SOUGHT_FRAMES
    assert length_s == pytest.approx(float(FRAME_COUNT / RATE), abs=0.001)


def test_pictures_of_an_ingested_recording_reach_the_rater(page, live_server, assignment):
    log_in(page, live_server, "noor")
    page.goto(live_server.url + reverse("audit", args=[assignment.public_id]))
    page.wait_for_selector("html[data-ready]")

    sizes = page.evaluate(
        """async () => {
          const data = JSON.parse(document.querySelector("#audit-data").textContent);
          const names = [data.media.trace.sprite.name, ...data.media.trace.pictures];
          return Promise.all(names.map(async (name) => {
            const picture = new Image();
            picture.src = `${data.urls.pictures.trace}${name}/`;
            await picture.decode();
            return [picture.naturalWidth, picture.naturalHeight];
          }));
        }"""
    )

    # Seven tiles of 160 x 90 in one row, and a picture of each step.
    assert sizes == [[1120, 90], *[[320, 180]] * STEP_COUNT]
