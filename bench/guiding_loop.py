"""The loop of a watcher and a planner on a private site, for `bench.guiding`.

The model answers at once, in a process of its own. *loop*: requests a second of an assessment of
`guide` with a planner, beside those of the frame's plain asking (one request an item), each four at
a time without pictures, in turns; the ratio is that of the medians. A request that is answered from
the record counts as well; the seconds are those from the first request to the last answer, for
figures are no part of asking. *memory*: an hour of a recording with a decision every half second,
each with pictures, on a clock that goes on as fast as the worker does: all 7,200 are taken. *hour*:
the same on the wall's clock, which skips what is late; it takes an hour. Resident memory of the
worker is printed once a minute of the recording, and is judged from a sixth of the hour to its end.
A run of an hour is longer than a worker may take, which is lifted here.
"""

import multiprocessing
import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from bench.questions import set_up

if TYPE_CHECKING:
    from benchmarks.models import ItemSet, LiveRun
    from generation.models import TextEndpoint

LEAST_SHARE, AT_ONCE = 0.5, 4
PLAIN_TASK = "step_mistakes"
HOUR_S, STRIDE_S, PICTURES, MINUTE_S = 3600.0, 0.5, 2, 60.0
MOST_GROWTH_MB, WARM_SHARE = 10.0, 6
BYTES_PER_MB = 1_000_000


def loop_part(runs: int) -> bool:
    with tempfile.TemporaryDirectory() as folder, answering() as url:
        set_up(Path(folder))
        _import_sample()
        sets = {"loop": _made("guide", _with_planner()), "plain": _made(PLAIN_TASK, {})}
        endpoint = text_model(url)
        rates: dict[str, list[float]] = {name: [] for name in sets}
        for round_ in range(runs + 1):
            for name, item_set in sets.items():
                rate = _asked_per_second(item_set, endpoint)
                if round_:
                    rates[name].append(rate)
    loop, plain = median(rates["loop"]), median(rates["plain"])
    words = f"loop {loop:.0f} requests a second, plain asking {plain:.0f}: {loop / plain:.2f}"
    print(f"  {words}   (goal: at least {LEAST_SHARE:g})", flush=True)
    return loop / plain >= LEAST_SHARE


def memory_part(runs: int) -> bool:
    return _memory_over_an_hour(is_fast=True)


def hour_part(runs: int) -> bool:
    return _memory_over_an_hour(is_fast=False)


def _memory_over_an_hour(*, is_fast: bool) -> bool:
    with tempfile.TemporaryDirectory() as folder, answering() as url:
        os.environ.update(VIDEO_ROOTS=folder, LOG_LEVEL="WARNING")
        set_up(Path(folder, "state"))
        started, minutes = time.perf_counter(), _Minutes(is_fast=is_fast)
        figures = _watch_hour(Path(folder), text_model(url), minutes)
    seconds, warm_mb = time.perf_counter() - started, minutes.memory_mb[60 // WARM_SHARE]
    grown_mb = minutes.memory_mb[-1] - warm_mb
    decided, skipped = figures["decided_count"], figures["skipped_count"]
    print(f"  an hour watched in {seconds:.0f} s, {decided:,} decisions, {skipped:,} skipped:")
    print(f"  {warm_mb:.0f} MB after a {WARM_SHARE}th, {grown_mb:+.1f} MB since", end="")
    print(f"   (goal: under {MOST_GROWTH_MB:g})", flush=True)
    return grown_mb < MOST_GROWTH_MB


@contextmanager
def answering() -> Iterator[str]:
    """The address of a model that answers at once, in a process of its own."""
    ours, theirs = multiprocessing.Pipe()
    context = multiprocessing.get_context("spawn")
    process = context.Process(target=_serve, args=(theirs,), daemon=True)
    process.start()
    try:
        yield ours.recv()
    finally:
        ours.send("end")
        process.join(10)


def _serve(connection: Connection) -> None:
    from tests.benchmarks.answering_server import AnsweringServer  # noqa: PLC0415

    with AnsweringServer(answers=_answer) as server:
        connection.send(server.url)
        while not connection.poll(1):
            # It keeps what it was asked, pictures and all.
            server.asked.clear()


def _answer(body: dict[str, Any]) -> str:
    from tests.benchmarks.answering_server import coin, words_of  # noqa: PLC0415
    from tests.benchmarks.sample_answers import PLAN, PLANNER, answer_of  # noqa: PLC0415

    words = words_of(body)
    if PLANNER in words:
        goal = words.partition("Goal: ")[2].partition("\n")[0]
        return PLAN.format(goal=goal, step="Go on.")
    if "$interrupt$" in words:
        return str(coin(body, "$interrupt$ Go on.", *["$silent$"] * 9))
    return str(answer_of(body))


def _with_planner() -> dict[str, Any]:
    from benchmarks.engine.tasks.guide.items import PREDICTED  # noqa: PLC0415

    return {"plan": PREDICTED}


def _import_sample() -> None:
    from annotation.services.corpus.imports import (  # noqa: PLC0415
        ImportTarget,
        import_reading,
    )
    from sample.corpus import load_corpus  # noqa: PLC0415

    target = ImportTarget(name="Everyday", format="native", owner=None, is_shared=True)
    import_reading(load_corpus(), target=target)


def _made(task: str, settings: dict[str, Any]) -> "ItemSet":
    from annotation.models import Dataset  # noqa: PLC0415
    from tests.benchmarks.made import frozen_set  # noqa: PLC0415

    return frozen_set(Dataset.objects.get(), None, task, settings=settings)


def text_model(url: str) -> "TextEndpoint":
    from tests.generation.text_endpoints import make_endpoint  # noqa: PLC0415

    return make_endpoint(url, name="Bench", concurrency=AT_ONCE, supports_images=True)


def _asked_per_second(item_set: "ItemSet", endpoint: "TextEndpoint") -> float:
    from django.db.models import Max, Min  # noqa: PLC0415

    from benchmarks.services.assessment_work import work_on_assessments  # noqa: PLC0415
    from benchmarks.services.assessments import AskRequest, start_assessment  # noqa: PLC0415
    from generation.models import TextAttempt, TextCall, TextUse  # noqa: PLC0415

    # What was answered once is not asked again.
    item_set.assessments.filter(kind="endpoint").delete()
    TextCall.objects.all().delete()
    request = AskRequest(endpoint=endpoint.public_id, pictures=0)
    _, job_ids = start_assessment(item_set=item_set, request=request, actor=None)
    work_on_assessments(job_ids=job_ids)
    spent = TextAttempt.objects.aggregate(first=Min("started_at"), last=Max("ended_at"))
    answered = TextCall.objects.count() + TextUse.objects.count()
    return float(answered / (spent["last"] - spent["first"]).total_seconds())


class _Minutes:
    """A wall's clock, real or one that goes on only while the worker waits.

    It prints and keeps the worker's memory, in MB, once a minute.
    """

    def __init__(self, *, is_fast: bool) -> None:
        self.is_fast = is_fast
        self.fast_s = 0.0
        self.began_s: float | None = None
        self.memory_mb: list[float] = []

    def now(self) -> float:
        now_s = self.fast_s if self.is_fast else self.wall()
        if now_s >= len(self.memory_mb) * MINUTE_S:
            self.memory_mb.append(resident_mb())
            minute = len(self.memory_mb) - 1
            words = f"minute {minute} ({self.wall():.0f} s): {self.memory_mb[-1]:.1f} MB"
            print(f"    {words}", flush=True)
        return now_s

    def wall(self) -> float:
        """Seconds since somebody asked first."""
        self.began_s = self.began_s or time.monotonic()
        return time.monotonic() - self.began_s

    def sleep(self, seconds: float) -> None:
        if self.is_fast:
            self.fast_s += seconds
        else:
            time.sleep(seconds)


def resident_mb() -> float:
    lines = Path("/proc/self/status").read_text().splitlines()
    [size] = [line.split()[1] for line in lines if line.startswith("VmRSS:")]
    return int(size) * 1024 / BYTES_PER_MB


def _watch_hour(folder: Path, endpoint: "TextEndpoint", minutes: _Minutes) -> dict[str, Any]:
    """Figures of a live run over the whole recording."""
    from benchmarks.services import live_work  # noqa: PLC0415
    from benchmarks.services.live import command_live  # noqa: PLC0415

    run, job_ids = live_run(folder, endpoint)
    command_live(run=run, kind="play")
    live_work.LONGEST_S = 2 * HOUR_S
    live_work.watch_live(job_ids=job_ids, wall=live_work.Wall(minutes.now, minutes.sleep))
    run.refresh_from_db()
    figures: dict[str, Any] = run.figures
    return figures


def live_run(folder: Path, endpoint: "TextEndpoint") -> tuple["LiveRun", list[int]]:
    """A run over an hour of video in the folder that waits for a worker, and its job."""
    from annotation.models import Trace, User  # noqa: PLC0415
    from annotation.services.videos.linking import link_videos  # noqa: PLC0415
    from bench.playing_videos import write_hour  # noqa: PLC0415
    from benchmarks.services.live import LiveRequest, start_live  # noqa: PLC0415

    _import_sample()
    trace = Trace.objects.exclude(video_stem="").order_by("uid").first()
    assert trace is not None
    write_hour(folder / f"{trace.video_stem}.mp4")
    link_videos(dataset=trace.dataset, folder=str(folder), pattern="{stem}.mp4")
    made = _made("guide", _with_planner())
    owner = User.objects.create_user(username="watcher", role="administrator")
    asked = LiveRequest(endpoint=endpoint.public_id, stride_s=STRIDE_S, pictures=PICTURES)
    item = made.items.filter(source_recording=f"trace:{trace.uid}").first()
    assert item is not None
    return start_live(item_set=made, recording=item.recording, request=asked, actor=owner)
