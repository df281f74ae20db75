"""The browser of the tests, a campaign with real video for it to open, and a queue to hold."""

import os
import shutil
from dataclasses import dataclass
from pathlib import Path

import av
import numpy as np
import pytest
from celery import current_app
from playwright.sync_api import expect

from annotation.engine.taxonomy import EventKind, Mod
from annotation.models import Assignment, User
from bench.serving import BROWSERS
from generation.services.run_work import work_on_takes
from tests.e2e.site import in_worker
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
    VideoFactory,
    watchable,
)
from tests.storage import (  # noqa: F401
    site_storage,
    storage_keys,
    storage_proxy,
    storage_server,
)

# The browser's event loop runs in the test's thread, and Django takes that for asynchronous code.
os.environ.setdefault("DJANGO_ALLOW_ASYNC_UNSAFE", "1")

# What comes is waited for so long: a page on a busy machine takes its time, and is right.
expect.set_options(timeout=30_000)
FRAME_RATE = 10
SIZE = (160, 90)
STEP_S = 2.0


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args):
    """Drive the Chromium of the system; skip and say so where there is none."""
    found = [path for path in map(shutil.which, BROWSERS) if path]
    if not found:
        pytest.skip(f"no browser; install one of the Debian packages {', '.join(BROWSERS)}")
    return {
        **browser_type_launch_args,
        "executable_path": found[0],
        "args": ["--no-sandbox", "--autoplay-policy=no-user-gesture-required"],
    }


@pytest.fixture(scope="session")
def base_url() -> None:
    """Stand in for the plugin's own fixture, which this version of pytest warns of."""


@pytest.fixture(scope="session")
def browser_context_args(browser_context_args):
    return {**browser_context_args, "viewport": {"width": 1280, "height": 800}}


@dataclass(frozen=True)
class Audit:
    """One rater with one open assignment: two mistakes, a correction, and two recordings."""

    rater: User
    assignment: Assignment
    metric_count: int

    def values(self) -> dict[tuple[int | None, str], tuple[str, int | None, bool]]:
        """Return what is stored: (event index, metric) -> (value, confidence, is implied)."""
        rows = self.assignment.ratings.values_list(
            "event__index", "metric", "value", "confidence", "is_implied"
        )
        return {(event, metric): tuple(rest) for event, metric, *rest in rows}


_CLIPS: dict[tuple[float, int], bytes] = {}


def write_clip(path: Path, duration_s: float, grey: int) -> None:
    """Write an H.264 clip whose brightness rises with time; drawn once, since all want the same."""
    if (duration_s, grey) in _CLIPS:
        path.write_bytes(_CLIPS[duration_s, grey])
        return
    with av.open(str(path), "w", options={"movflags": "faststart"}) as container:
        stream = container.add_stream("libx264", rate=FRAME_RATE)
        stream.width, stream.height = SIZE
        stream.pix_fmt = "yuv420p"
        stream.options = {"preset": "ultrafast", "g": str(FRAME_RATE)}
        for index in range(int(duration_s * FRAME_RATE)):
            shade = min(255, grey + index)
            pixels = np.full((SIZE[1], SIZE[0], 3), shade, dtype=np.uint8)
            container.mux(stream.encode(av.VideoFrame.from_ndarray(pixels, format="rgb24")))
        container.mux(stream.encode())
    _CLIPS[duration_s, grey] = path.read_bytes()


@pytest.fixture
def audit(transactional_db, tmp_path) -> Audit:
    dataset = DatasetFactory(video_folder=str(tmp_path))
    videos = {}
    for stem, duration_s, grey in (("clean", 4 * STEP_S, 40), ("mistaken", 5 * STEP_S, 90)):
        write_clip(tmp_path / f"{stem}.mp4", duration_s, grey)
        videos[stem] = VideoFactory(
            dataset=dataset, path=f"{stem}.mp4", duration_s=duration_s, frame_rate=FRAME_RATE
        )
        watchable(videos[stem])
    take = TakeFactory(dataset=dataset, video=videos["clean"])
    steps = [StepFactory(take=take, index=index) for index in range(4)]
    trace = TraceFactory(dataset=dataset, take=take, video=videos["mistaken"])
    first = EventFactory(trace=trace, index=0)
    repair = EventFactory(trace=trace, index=1, kind=EventKind.CORRECTION, target=first)
    second = EventFactory(trace=trace, index=2)
    rows = [
        {"text": steps[0].text, "reference_step": steps[0]},
        {"mod": Mod.ERROR, "text": "Do section 2", "reference_step": steps[1], "event": first},
        {"mod": Mod.CORRECTION, "text": "Put it right", "event": repair},
        {"mod": Mod.CASCADE, "text": "Do 3", "reference_step": steps[2], "event": first},
        {"mod": Mod.INSERTION, "text": "Sing a song", "event": second},
    ]
    for index, row in enumerate(rows):
        TraceStepFactory(trace=trace, index=index, **row)
    rater = UserFactory(username="newcomer")
    campaign = CampaignFactory(name="Bench audit")
    CampaignRaterFactory(campaign=campaign, rater=rater)
    assignment = AssignmentFactory(campaign=campaign, rater=rater, trace=trace)
    return Audit(rater, assignment, metric_count=8)


class HeldQueue:
    """Keeps the messages until the test lets a worker thread have them."""

    def __init__(self):
        self.batches = []

    def send_task(self, name, args):
        assert name == "generation.work_on_takes"
        self.batches.append(args[0])

    def work(self, batch_count):
        batches, self.batches = self.batches[:batch_count], self.batches[batch_count:]
        in_worker(lambda: [work_on_takes(job_ids=job_ids) for job_ids in batches])


@pytest.fixture
def queue(monkeypatch):
    """Return the queue between page and worker, which the test moves on step by step."""
    held = HeldQueue()
    monkeypatch.setattr(current_app, "send_task", held.send_task)
    monkeypatch.setattr("generation.services.run_work.QUICK_BATCH", 2)
    return held
