"""The inside of `bench.item_sets`: a site with a data set, and one process for each part.

    python -m bench.item_sets_site prepare ITEMS | make | audit | freeze | rows

Prints one JSON value. The environment says which state folder.
"""

import json
import sys
import time
from collections.abc import Callable
from itertools import islice
from typing import Any

import django

django.setup()

from django.core.management import call_command  # noqa: E402
from django.db import connection, transaction  # noqa: E402
from django.db.models import QuerySet  # noqa: E402

from annotation.engine.taxonomy import ErrorType, EventKind, Mod  # noqa: E402
from annotation.models import Dataset, Event, Step, Take, Trace, TraceStep  # noqa: E402
from bench.measure import forget_peak, peak_memory_bytes  # noqa: E402
from benchmarks.models import Assessment, ItemSet  # noqa: E402
from benchmarks.services import freezing  # noqa: E402
from benchmarks.services.item_sets import (  # noqa: E402
    ItemSetRequest,
    start_freezing,
    start_making,
)
from benchmarks.tasks import work_on_item_sets  # noqa: E402
from piev_site.celery import app  # noqa: E402

STEPS, TAKES, SCENARIOS = 15, 400, 24
TASK = "step_mistakes"
STEP_S = 4.0
# Every so many steps one was done wrongly.
MISTAKE_EVERY = 7
THINGS = ("the jug", "a cup of warm water", "the small spoon", "two eggs", "the grey lid", "salt")
ACTIONS = ("Pour", "Stir in", "Take", "Put down", "Open", "Wipe", "Hold", "Measure")


def prepare(item_count: int) -> int:
    """Make a site with one data set that gives so many items."""
    call_command("migrate", verbosity=0, interactive=False)
    dataset = Dataset.objects.create(name="Filmed", format="native", is_shared=True)
    takes = Take.objects.bulk_create(
        Take(dataset=dataset, uid=f"take-{n}", name=f"Take {n}", scenario=f"Recipe {n % SCENARIOS}")
        for n in range(TAKES)
    )
    steps = Step.objects.bulk_create(
        Step(take=take, index=index, step_id=str(index), text=_text(place, index))
        for place, take in enumerate(takes)
        for index in range(STEPS)
    )
    for first in range(0, item_count // STEPS, TAKES):
        _film(dataset, takes, steps, first // TAKES)
    return TraceStep.objects.count()


def _text(place: int, index: int) -> str:
    number = place * STEPS + index
    action, thing = ACTIONS[number % len(ACTIONS)], THINGS[number // 3 % len(THINGS)]
    return f"{action} {thing} beside the stove, then count to {index + 2} before you go on"


def _film(dataset: Dataset, takes: list[Take], steps: list[Step], number: int) -> None:
    """Every take performed once more, each with two mistakes."""
    traces = Trace.objects.bulk_create(
        Trace(dataset=dataset, take=take, uid=f"{take.uid}-{number}", name=f"Film {number}")
        for take in takes
    )
    wrong = [index for index in range(STEPS) if (index + number) % MISTAKE_EVERY == 0]
    events = {
        (event.trace_id, event.index): event
        for event in Event.objects.bulk_create(
            Event(
                trace=trace, index=place, event_id=f"E{place}", kind=EventKind.MISTAKE,
                proposed_type=str(ErrorType.WRONG_EXECUTION),
            )
            for trace in traces
            for place in range(len(wrong))
        )
    }  # fmt: skip
    TraceStep.objects.bulk_create(
        (
            TraceStep(
                trace=trace, index=index, reference_step=step, start_s=STEP_S * index,
                end_s=STEP_S * (index + 0.8), mod=Mod.ERROR if index in wrong else Mod.UNCHANGED,
                text=f"{step.text} too soon" if index in wrong else step.text,
                event=events[trace.pk, wrong.index(index)] if index in wrong else None,
            )
            for place, trace in enumerate(traces)
            for index, step in enumerate(steps[place * STEPS : (place + 1) * STEPS])
        ),
        batch_size=2000,
    )  # fmt: skip


def make() -> dict[str, float]:
    """Make a set as a worker does."""
    request = ItemSetRequest("Steps", TASK, Dataset.objects.get().public_id)
    _, job_ids = start_making(request=request, actor=None)
    return _worked(lambda: work_on_item_sets(job_ids))


def audit() -> dict[str, float]:
    """Audit the set that was made last for shortcuts, as a worker does."""
    item_set = ItemSet.objects.latest("pk")
    job_ids = start_freezing(item_set=item_set, actor=None, only_audit=True)
    return _worked(lambda: work_on_item_sets(job_ids))


def freeze() -> dict[str, float]:
    """Freeze the set that was made last, as a worker does, without the audit."""
    for name in ("audit_items", "store_audit"):
        setattr(freezing, name, lambda *_: None)
    item_set = ItemSet.objects.latest("pk")
    job_ids = start_freezing(item_set=item_set, actor=None)
    return _worked(lambda: work_on_item_sets(job_ids))


def rows() -> dict[str, float]:
    """The peer: `bulk_create` of the rows that the jobs stored of the newest set, nothing else.

    `seconds` are those of items and answers of baselines, `item_seconds` those of the items, with
    the documents that these share.
    """
    before = ItemSet.objects.filter(frozen_at__isnull=False).latest("pk")
    bare = ItemSet.objects.create(name="Bare", task=TASK, task_version=1, source="Filmed")
    documents = _stored_again(before.shared_payloads.order_by("number"), item_set_id=bare.pk)
    items = _stored_again(before.items.order_by("position"), item_set_id=bare.pk)
    items_s, items_processor_s = documents[0] + items[0], documents[1] + items[1]
    seconds, processor_s = items_s, items_processor_s
    for baseline in before.assessments.order_by("pk"):
        again = Assessment.objects.create(item_set=bare, kind=baseline.kind, name=baseline.name)
        spent = _stored_again(baseline.answers.order_by("pk"), assessment_id=again.pk)
        seconds, processor_s = seconds + spent[0], processor_s + spent[1]
    # The next round writes into tables that are as full.
    of_bare = "(SELECT id FROM benchmarks_assessment WHERE item_set_id = %s)"
    with connection.cursor() as cursor:
        cursor.execute(
            f"DELETE FROM benchmarks_answer WHERE assessment_id IN {of_bare}",  # noqa: S608
            [bare.pk],
        )
        cursor.execute("DELETE FROM benchmarks_item WHERE item_set_id = %s", [bare.pk])
        cursor.execute("DELETE FROM benchmarks_sharedpayload WHERE item_set_id = %s", [bare.pk])
    bare.assessments.all().delete()
    bare.delete()
    return {
        "seconds": seconds,
        "item_seconds": items_s,
        "processor_s": processor_s,
        "item_processor_s": items_processor_s,
    }


def _stored_again(stored: "QuerySet[Any]", **changes: int) -> tuple[float, float]:
    """Seconds of storing the same rows once more: by the clock, and of the processor."""
    left, seconds, processor_s = stored.iterator(2000), 0.0, 0.0
    while batch := list(islice(left, 10_000)):
        for row in batch:
            row.pk = None
            for name, value in changes.items():
                setattr(row, name, value)
        began, used = time.perf_counter(), time.process_time()
        with transaction.atomic():
            stored.model._base_manager.bulk_create(batch, batch_size=2000)
        seconds += time.perf_counter() - began
        processor_s += time.process_time() - used
    return seconds, processor_s


def _worked(work: Callable[[], object]) -> dict[str, float]:
    """What work takes in a process that holds what a worker holds."""
    app.loader.import_default_modules()
    forget_peak()
    idle = peak_memory_bytes()
    started, processor = time.perf_counter(), time.process_time()
    work()
    item_set = ItemSet.objects.latest("pk")
    if item_set.job is None or item_set.job.status != "done":
        raise SystemExit(f"the job ended otherwise: {item_set.job and item_set.job.error}")
    return {
        "seconds": time.perf_counter() - started,
        "processor_s": time.process_time() - processor,
        "megabytes": (peak_memory_bytes() - idle) / 1e6,
        "idle_megabytes": idle / 1e6,
        "items": item_set.item_count,
    }


PARTS: dict[str, Callable[..., object]] = {
    "prepare": lambda count: prepare(int(count)),
    "make": make,
    "audit": audit,
    "freeze": freeze,
    "rows": rows,
}


if __name__ == "__main__":
    json.dump(PARTS[sys.argv[1]](*sys.argv[2:]), sys.stdout)
