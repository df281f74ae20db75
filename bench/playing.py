"""Two 720p videos played in step in Chromium on the real audit page: drift, stalls, exact frames.

    python -m bench.playing [--seconds 30] [--stalls 6] [--seeks 60]

A private site with two videos of 30 s whose frames carry their numbers. Drift is the reference's
time less the one that matches the trace's, every 50 ms while both play. A stall stops one side for
400 ms. Of each random seek the pixels are read and compared with what FFmpeg decodes at that time.
Chromium is the system's; the machine should do nothing else meanwhile.
"""

import argparse
import os
import secrets
import statistics
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import django
import numpy as np

STATE = tempfile.TemporaryDirectory(prefix="piev-bench-")
# A private database, whatever this machine is set up to use.
os.environ.update(PIEV_STATE=STATE.name, DATABASE_URL="", DEBUG="0")
os.environ.update(SECRET_KEY=secrets.token_urlsafe(32), LOG_LEVEL="WARNING")
os.environ["DJANGO_SETTINGS_MODULE"] = "piev_site.settings"
django.setup()

from django.core.management import call_command
from django.urls import reverse
from playwright.sync_api import Page

from annotation.engine.taxonomy import EventKind, Mod
from annotation.models import (
    Assignment,
    CampaignRater,
    Dataset,
    Event,
    Phase,
    Step,
    Take,
    Trace,
    TraceStep,
    User,
)
from annotation.services.campaigns.campaigns import NewCampaign, create_campaign
from annotation.services.videos.ingest import queue_ingest
from annotation.services.videos.ingest_work import ingest_videos
from annotation.services.videos.linking import link_videos
from bench.playing_videos import (
    SAMPLE,
    SEEK,
    decoded_numbers,
    number_at,
    write_numbered,
)
from bench.serving import ADDRESS, browser_path, page_of, served

VIDEO_S, STEP_COUNT, INSERTED_S = 30.0, 10, 2.0
MEDIAN_GOAL_MS, P95_GOAL_MS = 10.0, 20.0
STALL_MS, BACK_UNDER_MS, BACK_WITHIN_S, CALM_MS = 400, 40, 2.0, 500
MS_PER_S = 1000
SEED = 5


@dataclass(frozen=True, slots=True)
class Figures:
    """What was measured; drifts in ms, stalls as (side, s until back under 40 ms or None)."""

    drifts_ms: list[float]
    stalls: list[tuple[str, float | None]]
    exact_count: int
    seek_count: int

    @property
    def is_met(self) -> bool:
        return (
            statistics.median(self.drifts_ms) <= MEDIAN_GOAL_MS
            and float(np.quantile(self.drifts_ms, 0.95)) <= P95_GOAL_MS
            and all(back is not None and back <= BACK_WITHIN_S for _, back in self.stalls)
            and self.exact_count == self.seek_count
        )


def main() -> int:
    parser = argparse.ArgumentParser(description="Measure two videos in step.")
    parser.add_argument("--seconds", type=float, default=VIDEO_S)
    parser.add_argument("--stalls", type=int, default=6)
    parser.add_argument("--seeks", type=int, default=60)
    options = parser.parse_args()
    browser_path()  # before minutes of work
    folder = Path(STATE.name) / "videos"
    folder.mkdir()
    files = {
        "reference": write_numbered(folder / "reference.mp4", seconds=VIDEO_S, seed=1),
        "trace": write_numbered(folder / "trace.mp4", seconds=VIDEO_S + INSERTED_S, seed=2),
    }
    assignment = make_rows(folder)
    with served(), opened_page(assignment) as page:
        figures = Figures(
            drifts_ms=play(page, options.seconds),
            stalls=[stall(page, side) for side in ("reference", "trace") * (options.stalls // 2)],
            exact_count=seek(page, files, options.seeks),
            seek_count=options.seeks,
        )
    show(figures)
    return 0 if figures.is_met else 1


def make_rows(folder: Path) -> Assignment:
    """An assignment of ten equal steps and, in the middle of the trace, one that is new."""
    call_command("migrate", verbosity=0)
    call_command("collectstatic", interactive=False, verbosity=0)
    dataset = Dataset.objects.create(name="Bench", format="piev")
    step_s = VIDEO_S / STEP_COUNT
    take = Take.objects.create(
        dataset=dataset, uid="take", name="take", scenario="Bench", video_stem="reference"
    )
    steps = Step.objects.bulk_create(
        Step(
            take=take,
            index=index,
            text=f"Do part {index}",
            start_s=step_s * index,
            end_s=step_s * (index + 1),
        )
        for index in range(STEP_COUNT)
    )
    trace = Trace.objects.create(
        dataset=dataset, take=take, uid="trace", name="trace", video_stem="trace"
    )
    event = Event.objects.create(trace=trace, index=0, event_id="e", kind=EventKind.MISTAKE)
    rows = [{"mod": Mod.UNCHANGED, "text": step.text, "reference_step": step} for step in steps]
    rows.insert(STEP_COUNT // 2, {"mod": Mod.INSERTION, "text": "Dance", "event": event})
    start_s = 0.0
    for index, row in enumerate(rows):
        end_s = start_s + (INSERTED_S if "event" in row else step_s)
        TraceStep.objects.create(trace=trace, index=index, start_s=start_s, end_s=end_s, **row)
        start_s = end_s
    link_videos(dataset=dataset, folder=str(folder), pattern="{stem}.mp4")
    ingest_videos(job_ids=queue_ingest(dataset=dataset, actor=None))
    rater = User.objects.create_user(username="rater")
    campaign = create_campaign(new=NewCampaign(name="Bench", phase=Phase.MAIN), actor=None)
    CampaignRater.objects.create(campaign=campaign, rater=rater)
    return Assignment.objects.create(
        round=campaign.rounds.get(), rater=rater, trace=trace, position=0
    )


@contextmanager
def opened_page(assignment: Assignment) -> Iterator[Page]:
    with page_of(assignment.rater) as page:
        page.goto(ADDRESS + reverse("audit", args=[assignment.public_id]))
        page.wait_for_selector("html[data-ready]", state="attached")
        wait_until_still(page)
        yield page


def wait_until_still(page: Page) -> None:
    page.wait_for_function(
        "() => [...document.querySelectorAll('video')]"
        ".every((video) => video.readyState === 4 && !video.seeking)"
    )


def go_to_start(page: Page) -> None:
    page.keyboard.press("k")
    page.locator("tr[data-row='0']").click()
    wait_until_still(page)
    page.wait_for_timeout(300)


def play(page: Page, seconds: float) -> list[float]:
    """The drifts of one run from the start, without the first half second."""
    go_to_start(page)
    page.keyboard.press("Space")
    samples = page.evaluate(SAMPLE, [seconds, None, 0])
    return [abs(drift) for at_ms, drift in samples if drift is not None and at_ms >= 500]


def stall(page: Page, side: str) -> tuple[str, float | None]:
    """How long after a stall the drift was back and stayed for half a second, in seconds."""
    go_to_start(page)
    page.keyboard.press("Space")
    samples = page.evaluate(SAMPLE, [6, side, STALL_MS])
    over_ms = MS_PER_S + STALL_MS
    after = [(at, abs(drift)) for at, drift in samples if drift is not None and at >= over_ms]
    for at, _ in after:
        window = [drift for later, drift in after if at <= later <= at + CALM_MS]
        if all(drift <= BACK_UNDER_MS for drift in window):
            return side, (at - over_ms) / MS_PER_S
    return side, None


def seek(page: Page, files: dict[str, Path], count: int) -> int:
    """How many random seeks show the frame that FFmpeg decodes there."""
    go_to_start(page)
    frames = {side: decoded_numbers(path) for side, path in files.items()}
    rng = np.random.default_rng(SEED)
    exact_count = 0
    for number in range(count):
        side = ("reference", "trace")[number % 2]
        second = float(rng.uniform(0, VIDEO_S - 0.1))
        at, shown = page.evaluate(SEEK, [side, second])
        wanted = number_at(frames[side], second)
        exact_count += shown == wanted == number_at(frames[side], at)
    return exact_count


def show(figures: Figures) -> None:
    drifts = figures.drifts_ms
    back = ", ".join(
        f"{side} {'never' if s is None else f'{s:.2f} s'}" for side, s in figures.stalls
    )
    print(
        f"two 720p30 videos of {VIDEO_S:.0f} s in Chromium, {len(drifts)} samples\n"
        f"  drift           median {statistics.median(drifts):5.1f} ms, 95% "
        f"{np.quantile(drifts, 0.95):5.1f} ms, largest {max(drifts):5.1f} ms"
        f"   (goals: {MEDIAN_GOAL_MS:g} and {P95_GOAL_MS:g})\n"
        f"  after a stall of {STALL_MS} ms back under {BACK_UNDER_MS} ms: {back}"
        f"   (goal: {BACK_WITHIN_S:g} s)\n"
        f"  paused frames   {figures.exact_count} of {figures.seek_count} as FFmpeg decodes them\n"
        f"  load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors\n"
        f"  {'goals met' if figures.is_met else 'GOALS MISSED'}"
    )


if __name__ == "__main__":
    sys.exit(main())
