"""A recording that browsers cannot play is watched through its proxy, frame for frame."""

from fractions import Fraction

import pytest
from django.urls import reverse

from annotation.services.videos.ingest import queue_ingest
from annotation.services.videos.ingest_work import ingest_videos
from annotation.services.videos.linking import link_videos
from tests.e2e.site import (
    RATER,
    TRACE,
    assignment_of,
    in_worker,
    log_in,
    number_at,
    open_filmed,
)
from tests.factories import (
    DatasetFactory,
    EventFactory,
    StepFactory,
    TakeFactory,
    TraceFactory,
    TraceStepFactory,
)
from tests.recordings import write_recording

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
    in_worker(lambda: ingest_videos(job_ids=queue_ingest(dataset=dataset, actor=None)))
    return assignment_of(trace)


def test_proxy_shows_in_the_browser_the_frame_that_the_recording_has_then(
    page, live_server, assignment
):
    open_filmed(page, live_server, assignment, side=TRACE)

    middles_s = [float((number + Fraction(1, 2)) / RATE) for number in SOUGHT_FRAMES]
    shown = [number_at(page, at_s, side=TRACE, rate=RATE) for at_s in middles_s]
    length_s = page.evaluate("() => document.querySelectorAll('video')[1].duration")
    assert tuple(shown) == SOUGHT_FRAMES
    assert length_s == pytest.approx(float(FRAME_COUNT / RATE), abs=0.001)


def test_pictures_of_an_ingested_recording_reach_the_rater(page, live_server, assignment):
    log_in(page, live_server, RATER)
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
