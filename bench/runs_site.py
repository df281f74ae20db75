"""The inside of `bench.runs`: makes the takes, launches runs on a site of its own and waits.

    python -m bench.runs_site prepare TAKES | plan | launch | generate

Prints one JSON value. The environment says which state folder and which queue.
"""

import json
import sys
import time
from collections.abc import Callable
from functools import partial
from http import HTTPStatus

import django

django.setup()

from django.core.management import call_command
from django.test import Client
from django.urls import reverse

from annotation.engine.corpus.procedure import Reading, Step, Take
from annotation.models import AuditEntry, Dataset, Role, User
from annotation.services.corpus.imports import ImportTarget, import_reading
from generation.engine.corrections.simulation import correct_plan
from generation.engine.planner.planning import plan_take
from generation.engine.planner.profiles import PIEV
from generation.engine.stages import Stage
from generation.launch import launch_run
from generation.models import Run, TakePlan
from generation.selectors.plans.procedures import prepare_takes
from generation.selectors.runs import progress_of
from generation.selectors.totals import run_totals
from generation.services.runs import RunRequest
from sample.corpus import load_corpus

# The mean of the 50 published takes is 25.2 steps.
STEPS_PER_TAKE = 25
STEP_S = 4.0
SEED = 123
DATASET = "Bench takes"
PAUSE_S = 0.1
# A run in which no take has moved for so long stands still; a busy machine only makes it slow.
LIMIT_S = 300


def prepare(take_count: int) -> int:
    """Make the database and a data set of takes from the sample corpus's step texts."""
    call_command("migrate", verbosity=0, interactive=False)
    call_command("collectstatic", verbosity=0, interactive=False)
    texts = [step.text for take in load_corpus().takes for step in take.steps]
    takes = tuple(_take(number, texts) for number in range(take_count))
    target = ImportTarget(name=DATASET, format="native", owner=None, is_shared=True)
    import_reading(Reading(takes=takes), target=target)
    return take_count


def _take(number: int, texts: list[str]) -> Take:
    """A take whose steps come without representations, the dearer of the two paths."""
    steps = tuple(
        Step(
            text=texts[(7 * number + index) % len(texts)],
            step_id=str(index),
            start_s=STEP_S * index,
            end_s=STEP_S * (index + 1),
            is_essential=True,
        )
        for index in range(STEPS_PER_TAKE)
    )
    return Take(uid=f"take-{number:05d}", name=f"Take {number}", scenario="Bench", steps=steps)


def plan() -> float:
    """The takes per second of bare planning in this process, rows read beforehand."""
    takes = Dataset.objects.get(name=DATASET).takes.all()
    procedures = [item.procedure for item in prepare_takes(takes)]
    started = time.perf_counter()
    for procedure in procedures:
        correct_plan(plan_take(procedure, profile=PIEV, seed=SEED), profile=PIEV, seed=SEED)
    return len(procedures) / (time.perf_counter() - started)


def launch() -> dict[str, float]:
    """Launch a run that plans all takes, wait for its end and return what was measured."""
    return _measured([Stage.PLAN, Stage.CORRECT])


def generate() -> dict[str, float]:
    """Launch a run of all takes through every stage but the video, and return the same of it."""
    measured = _measured([stage for stage in Stage if stage is not Stage.VIDEO])
    run = Run.objects.latest("pk")
    totals = run_totals(run)
    texts = totals.texts
    assert texts is not None, "the run has texts"
    counts = {"clean_count": texts.clean_count, "published_count": texts.published_count}
    return {**measured, **counts, "empty_count": totals.plans.empty_count}


def _measured(stages: list[Stage]) -> dict[str, float]:
    dataset = Dataset.objects.get(name=DATASET)
    request = RunRequest(name="Bench", dataset=dataset, profile=PIEV, seed=SEED, stages=stages)
    planned_before, entries_before = TakePlan.objects.count(), _entry_count()
    started = time.perf_counter()
    run = launch_run(request=request, actor=None)
    launched = time.perf_counter()
    pages, page_s = _pages_of(run), 0.0
    seen, moved_at = "", launched
    while not (progress := progress_of(run)).is_finished:
        if progress.fingerprint != seen:
            seen, moved_at = progress.fingerprint, time.perf_counter()
        if time.perf_counter() - moved_at > LIMIT_S:
            raise SystemExit(f"no take has moved for {LIMIT_S} s: {progress}")
        page_s = max(page_s, *(open_page() for open_page in pages))
        time.sleep(PAUSE_S)
    ended = time.perf_counter()
    return {
        "launch_s": launched - started,
        "work_s": ended - launched,
        "page_s": page_s,
        "done_count": progress_of(run).done_count,
        "plan_count": TakePlan.objects.count() - planned_before,
        "entry_count": _entry_count() - entries_before,
    }


def _pages_of(run: Run) -> list[Callable[[], float]]:
    """Ways to open three pages of a run, as somebody does who watches it; each says its seconds."""
    watcher, _ = User.objects.get_or_create(username="watcher", role=Role.ADMINISTRATOR)
    client = Client(headers={"host": "localhost"})
    client.force_login(watcher)
    page = reverse("run-detail", args=[run.public_id])

    def seconds(address: str) -> float:
        started = time.perf_counter()
        answer = client.get(address)
        if answer.status_code != HTTPStatus.OK:
            raise SystemExit(f"{address} answered {answer.status_code}")
        return time.perf_counter() - started

    progress = reverse("run-progress", args=[run.public_id])
    return [partial(seconds, address) for address in (page, f"{page}?takes=2", progress)]


def _entry_count() -> int:
    ends = ("run_take.correct", "run_take.publish")
    return AuditEntry.objects.filter(action__in=ends).count()


if __name__ == "__main__":
    command, *arguments = sys.argv[1:]
    works = {"prepare": prepare, "plan": plan, "launch": launch, "generate": generate}
    print(json.dumps(works[command](*map(int, arguments))))
