"""The live page in Chromium at 2 ticks a second, for `bench.guiding`.

The gaps between drawn frames while the hour plays and a model that answers at once is asked every
half second: at the start of a run, and where half an hour of decisions lies behind it. The peer is
the same page, with the same decisions behind it, whose recording plays without any worker; the two
take turns.
"""

import os
import secrets
import tempfile
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from bench.guiding_loop import answering, live_run, text_model
from bench.questions import set_up
from bench.serving import PORT, RECORD_GAPS, STOP_GAPS, browser_path, page_of, served

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from benchmarks.models import LiveRun

GAP_MS, WATCHED_MS, SETTLED_MS = 25.0, 8000, 2500
STRIDE_S, BEHIND_S = 0.5, 1800.0


def page_part(runs: int) -> bool:
    browser_path()  # before a minute of work
    with tempfile.TemporaryDirectory() as folder, answering() as url:
        # Playwright keeps a loop in the thread from which rows are made.
        os.environ.update(VIDEO_ROOTS=folder, DEBUG="0", DJANGO_ALLOW_ASYNC_UNSAFE="1")
        os.environ["LOG_LEVEL"] = "WARNING"
        os.environ["SECRET_KEY"] = secrets.token_urlsafe(32)
        set_up(Path(folder, "state"))
        from django.core.management import call_command  # noqa: PLC0415

        call_command("collectstatic", interactive=False, verbosity=0)
        first, first_jobs = live_run(Path(folder), text_model(url))
        assert first.owner is not None
        with served(), page_of(first.owner) as page:
            are_met = [
                _page_is_smooth(page, first, first_jobs, behind_s, runs)
                for behind_s in (0.0, BEHIND_S)
            ]
    print(f"  load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors", flush=True)
    return all(are_met)


def _page_is_smooth(
    page: "Page", first: "LiveRun", jobs: list[int], behind_s: float, rounds: int
) -> bool:
    gaps: dict[bool, list[float]] = {True: [], False: []}
    for _ in range(rounds):
        for is_watched in gaps:
            gaps[is_watched] += _gaps(page, _another(first, behind_s), is_watched=is_watched)
    p95 = {is_watched: float(np.quantile(ms, 0.95)) for is_watched, ms in gaps.items()}
    ratio = p95[True] / p95[False]
    print(
        f"  {behind_s / STRIDE_S:,.0f} decisions behind: p95 of frames {p95[True]:.1f} ms,", end=""
    )
    print(f" without the loop {p95[False]:.1f} ms, ratio {ratio:.2f}   (goal: under {GAP_MS:g} ms)")
    return p95[True] < GAP_MS


def _another(first: "LiveRun", behind_s: float) -> tuple["LiveRun", list[int]]:
    """A run like the first, with decisions up to a time behind it."""
    from benchmarks.models import LiveEvent, LiveEventKind, LiveRun  # noqa: PLC0415
    from benchmarks.services.live import LiveRequest, start_live  # noqa: PLC0415

    assert first.owner is not None
    assert first.endpoint is not None
    asked = LiveRequest(
        endpoint=first.endpoint.public_id,
        stride_s=STRIDE_S,
        pictures=first.settings["pictures"],
    )
    run, job_ids = start_live(
        item_set=first.item_set, recording=first.recording, request=asked, actor=first.owner
    )
    plan = {
        "goal": "Make it", "completed": ["Begin"], "current": "Go on", "next": ["End"],
        "complete_cues": "It is done.", "incomplete_cues": "It is not done.",
    }  # fmt: skip
    LiveEvent.objects.bulk_create(
        LiveEvent(
            run=run, number=place + 1, kind=LiveEventKind.DECIDED, time_s=place * STRIDE_S,
            shown={
                "answer": "silent" if place % 10 else "interrupt", "text": "Now go on.",
                "reason": "", "asks": "", "plan": plan, "seconds": 0.1, "usd": 0.0,
            },
        )
        for place in range(round(behind_s / STRIDE_S))
    )  # fmt: skip
    LiveRun.objects.filter(pk=run.pk).update(position_s=behind_s)
    run.refresh_from_db()
    return run, job_ids


def _gaps(
    page: "Page", run_and_jobs: tuple["LiveRun", list[int]], *, is_watched: bool
) -> list[float]:
    """The gaps between frames in ms, while the recording plays."""
    from django.urls import reverse  # noqa: PLC0415
    from django.utils import timezone  # noqa: PLC0415

    from benchmarks.models import LiveRun  # noqa: PLC0415
    from benchmarks.services.live import command_live  # noqa: PLC0415

    run, job_ids = run_and_jobs
    worker = threading.Thread(target=_watch, args=(job_ids,))
    if is_watched:
        command_live(run=run, kind="play")
        worker.start()
    else:
        LiveRun.objects.filter(pk=run.pk).update(playing_since=timezone.now())
    page.goto(f"http://127.0.0.1:{PORT}{reverse('live', args=[run.public_id])}")
    page.wait_for_function("() => document.querySelector('video').readyState >= 3")
    page.wait_for_timeout(SETTLED_MS)
    page.evaluate(RECORD_GAPS)
    page.wait_for_timeout(WATCHED_MS)
    gaps: list[float] = page.evaluate(STOP_GAPS)
    page.goto("about:blank")
    if is_watched:
        command_live(run=run, kind="stop")
        worker.join()
    LiveRun.objects.filter(pk=run.pk).update(playing_since=None)
    return gaps


def _watch(job_ids: list[int]) -> None:
    from django.db import connection  # noqa: PLC0415

    from benchmarks.services.live_work import watch_live  # noqa: PLC0415

    try:
        watch_live(job_ids=job_ids)
    finally:
        connection.close()
