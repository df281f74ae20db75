"""The video that a run made plays beside its reference, and its strip says what is seen when."""

import threading

import pytest
from django.db import connection
from django.urls import reverse
from playwright.sync_api import expect

from annotation.models import Role
from generation.services.run_work import work_on_takes
from tests.e2e.test_generate_and_audit import log_in
from tests.factories import (
    AssignmentFactory,
    CampaignFactory,
    CampaignRaterFactory,
    UserFactory,
)
from tests.generation.backends.video.recordings import BIT_COUNT
from tests.generation.filmed import FOOTAGE, FRAMES_PER_STEP, film_dataset, make_run, take_of

pytestmark = pytest.mark.e2e

# Goes to a moment of the trace's video and reads the number that its picture shows.
NUMBER_AT = """async ([atS, bitCount]) => {
  const video = document.querySelectorAll("video")[1];
  const seeked = new Promise((done) => video.addEventListener("seeked", done, { once: true }));
  video.currentTime = atS;
  await seeked;
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [video.videoWidth, video.videoHeight];
  const context = canvas.getContext("2d");
  context.drawImage(video, 0, 0);
  let number = 0;
  for (let bit = 0; bit < bitCount; bit += 1) {
    const x = Math.round((canvas.width * (bit + 0.5)) / bitCount);
    const [red] = context.getImageData(x, Math.round(canvas.height / 2), 1, 1).data;
    if (red > 125) number += 2 ** bit;
  }
  return number;
}"""
SEGMENTS = """() => [...document.querySelectorAll(".player")[1].querySelectorAll("rect[data-row]")]
  .map((rect) => [rect.x.baseVal.valueInSpecifiedUnits, rect.width.baseVal.valueInSpecifiedUnits])
"""


@pytest.fixture
def assignment(transactional_db, settings, tmp_path):
    """Return a rater's assignment of the trace that a run published, filmed."""
    settings.MEDIA_ROOT = tmp_path / "media"
    researcher = UserFactory(role=Role.RESEARCHER)
    run = make_run(film_dataset(researcher, tmp_path / "recordings"), researcher)
    worker = threading.Thread(target=_work_on, args=[run])
    worker.start()
    worker.join()
    campaign, rater = CampaignFactory(), UserFactory(username="noor")
    CampaignRaterFactory(campaign=campaign, rater=rater)
    trace = take_of(run).published_trace.trace
    return AssignmentFactory(campaign=campaign, rater=rater, trace=trace)


def _work_on(run):
    try:
        work_on_takes(job_ids=list(run.run_takes.values_list("job_id", flat=True)))
    finally:
        connection.close()


def test_video_of_a_run_plays_and_shows_each_step_where_its_strip_has_it(
    page, live_server, assignment
):
    trace = assignment.trace
    log_in(page, live_server, "noor")

    page.goto(live_server.url + reverse("audit", args=[assignment.public_id]))
    page.wait_for_selector("html[data-ready]")
    page.wait_for_function("() => document.querySelectorAll('video')[1].readyState >= 2")

    length_s = page.evaluate("() => document.querySelectorAll('video')[1].duration")
    segments = page.evaluate(SEGMENTS)
    rows = trace.steps.exclude(start_s=None).select_related("reference_step").order_by("index")
    shown, wanted = {}, {}
    for (left, width), row in zip(segments, rows, strict=False):
        if row.mod in FOOTAGE:
            middle_s = length_s * (left + width / 2) / 100
            shown[row.index] = page.evaluate(NUMBER_AT, [middle_s, BIT_COUNT]) // FRAMES_PER_STEP
            wanted[row.index] = row.reference_step.index
    assert length_s == pytest.approx(trace.video.duration_s, abs=0.001)
    assert shown == wanted
    assert len(wanted) >= 5
    page.evaluate("() => { document.querySelectorAll('video')[1].currentTime = 0; }")
    page.keyboard.press("Space")
    page.wait_for_function("() => document.querySelectorAll('video')[1].currentTime > 0.5")
    expect(page.locator("body")).not_to_contain_text("bridge")
