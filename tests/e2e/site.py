"""What browser tests do around a page: log in, let a worker work, read which frame is shown."""

import threading
from collections.abc import Callable
from fractions import Fraction

from django.conf import settings
from django.db import connection
from django.test import Client
from django.urls import reverse
from playwright.sync_api import Page

from annotation.models import Assignment, Job, JobStatus, Trace, User
from annotation.services.videos.ingest import JOB_KIND, queue_ingest
from annotation.services.videos.ingest_work import ingest_videos
from bench.playing_videos import SHOW
from tests.factories import (
    PASSWORD,
    AssignmentFactory,
    CampaignFactory,
    CampaignRaterFactory,
    UserFactory,
)
from tests.recordings import BIT_COUNT

RATER = "noor"
# Goes to a moment of a video and reads the number that its picture shows.
NUMBER_AT = """async ([index, atS, rate, bitCount]) => {
  const video = document.querySelectorAll("video")[index];
  await (SHOW)(video, atS, rate);
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
}""".replace("SHOW", SHOW)
# Where the two recordings stand on the audit page.
REFERENCE, TRACE = 0, 1


def log_in(page: Page, live_server, username: str, *, password: str = PASSWORD) -> None:
    page.goto(live_server.url + reverse("login"))
    page.get_by_label("Username").fill(username)
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Log in").click()


def enter(page: Page, live_server, user: User) -> None:
    """Give the browser a session of the user, without the pages of a login."""
    client = Client()
    client.force_login(user)
    session = client.cookies[settings.SESSION_COOKIE_NAME].value
    cookie = {"name": settings.SESSION_COOKIE_NAME, "value": session, "url": live_server.url}
    page.context.add_cookies([cookie])


def in_worker(work: Callable[[], object]) -> None:
    """Do the work in a thread with a database connection of its own, and wait for its end.

    The test's own thread runs the browser's event loop, in which some of the work would not run.
    """

    def run() -> None:
        try:
            work()
        finally:
            connection.close()

    worker = threading.Thread(target=run)
    worker.start()
    worker.join()


def assignment_of(trace: Trace) -> Assignment:
    """Return an assignment of the trace to the rater, who can watch both of its recordings.

    As if a video model had made its clips: raters are shown no placeholders.
    """
    Trace.objects.filter(pk=trace.pk).update(has_placeholders=False)
    in_worker(lambda: ingest_recordings_of(trace))
    trace.refresh_from_db()
    campaign, rater = CampaignFactory(), UserFactory(username=RATER)
    CampaignRaterFactory(campaign=campaign, rater=rater)
    return AssignmentFactory(campaign=campaign, rater=rater, trace=trace)


def ingest_recordings_of(trace: Trace) -> None:
    datasets = {trace.dataset, trace.take.dataset}
    for dataset in datasets:
        queue_ingest(dataset=dataset, actor=None)
    queued = Job.objects.filter(kind=JOB_KIND, status=JobStatus.QUEUED)
    ingest_videos(job_ids=list(queued.values_list("pk", flat=True)))


def open_filmed(page: Page, live_server, assignment: Assignment, *, side: int) -> None:
    """Open the audit page as the rater and wait until one of its recordings can be shown."""
    log_in(page, live_server, RATER)
    page.goto(live_server.url + reverse("audit", args=[assignment.public_id]))
    page.wait_for_selector("html[data-ready]")
    page.wait_for_function(
        "(side) => document.querySelectorAll('video')[side].readyState >= 2", arg=side
    )


def number_at(page: Page, at_s: float, *, side: int, rate: Fraction) -> int:
    """Return the number in the frame that a recording shows at a moment."""
    return page.evaluate(NUMBER_AT, [side, at_s, float(rate), BIT_COUNT])
