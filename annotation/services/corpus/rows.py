"""Write takes and traces as rows, many at a time; callers hold the transaction.

Rows of an updated take are changed in place, so that traces keep pointing at them; rows of an
updated trace are replaced, which is safe because only unrated traces are ever updated.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, TypeVar

from django.db.models import Manager, Model, Q

from annotation.engine.corpus import procedure
from annotation.engine.taxonomy import EventKind
from annotation.models import Dataset, Event, Step, Take, TaskGraph, Trace, TraceStep, Utterance

Row = TypeVar("Row", bound=Model)

BATCH_ROWS = 2000
TAKE_FIELDS = [
    "name",
    "scenario",
    "video_stem",
    "video",
    "order_deviations",
    "intervals",
    "content_hash",
]
STEP_FIELDS = ["step_id", "text", "start_s", "end_s", "is_essential", "semrep", "taxonomy_path"]
TRACE_FIELDS = [
    "take",
    "name",
    "video_stem",
    "video",
    "reference_reason",
    "provenance",
    "has_placeholders",
    "content_hash",
]


@dataclass(frozen=True, slots=True)
class TakeWrite:
    """One take to write: its content, its fingerprint, and its row if it has one."""

    content: procedure.Take
    content_hash: str
    row: Take | None = None

    @property
    def is_new(self) -> bool:
        return self.row is None


@dataclass(frozen=True, slots=True)
class TraceWrite:
    """One trace to write: its content, its fingerprint, and its row if it has one."""

    content: procedure.Trace
    content_hash: str
    row: Trace | None = None

    @property
    def is_new(self) -> bool:
        return self.row is None


def create_in_batches(
    manager: Manager[Row], rows: Iterable[Row], note: Callable[[int], None] = lambda count: None
) -> None:
    """Create rows while they are made, so that no more than a batch of them is in memory.

    `note` is told how many each batch had.
    """
    waiting = iter(rows)
    while batch := list(islice(waiting, BATCH_ROWS)):
        manager.bulk_create(batch)
        note(len(batch))


def _fill_step(row: Step, content: procedure.Step) -> Step:
    row.step_id = content.step_id
    row.text = content.text
    row.start_s = content.start_s
    row.end_s = content.end_s
    row.is_essential = content.is_essential
    row.semrep = content.semrep
    row.taxonomy_path = list(content.taxonomy_path)
    return row


def write_takes(
    dataset: Dataset, writes: Sequence[TakeWrite], note: Callable[[int], None] = lambda count: None
) -> None:
    """Create or update the takes and their steps; `note` is told of steps that are written."""
    rows = []
    for write in writes:
        take = write.content
        row = write.row or Take(dataset=dataset, uid=take.uid)
        if row.video_stem != take.video_stem:
            row.video = None
        row.name = take.name
        row.scenario = take.scenario
        row.video_stem = take.video_stem
        row.order_deviations = take.order_deviations
        row.intervals = list(take.intervals)
        row.content_hash = write.content_hash
        rows.append(row)
    new_rows = [row for row in rows if row.pk is None]
    changed_rows = [row for row in rows if row.pk is not None]
    Take.objects.bulk_update(changed_rows, TAKE_FIELDS, batch_size=BATCH_ROWS)
    Take.objects.bulk_create(new_rows, batch_size=BATCH_ROWS)
    step_rows: dict[tuple[int, int], Step] = {
        (step.take_id, step.index): step for step in Step.objects.filter(take__in=changed_rows)
    }
    contents = {
        (row.pk, index): content
        for row, write in zip(rows, writes, strict=True)
        for index, content in enumerate(write.content.steps)
    }
    changed_steps = [
        _fill_step(step, contents.pop(place))
        for place, step in step_rows.items()
        if place in contents
    ]
    Step.objects.bulk_update(changed_steps, STEP_FIELDS, batch_size=BATCH_ROWS)
    note(len(changed_steps))
    create_in_batches(
        Step.objects,
        (
            _fill_step(Step(take_id=take_id, index=index), content)
            for (take_id, index), content in contents.items()
        ),
        note,
    )


def delete_surplus_steps(writes: Iterable[TakeWrite]) -> None:
    """Delete the last steps of takes that became shorter, once no trace row points at them."""
    for write in writes:
        if write.row is not None:
            surplus = Step.objects.filter(take=write.row, index__gte=len(write.content.steps))
            surplus.delete()


def write_traces(
    dataset: Dataset,
    writes: Sequence[TraceWrite],
    takes: Mapping[str, Take],
    note: Callable[[int], None] = lambda count: None,
) -> None:
    """Create or update the traces and replace their events and rows; `takes` is by uid.

    `note` is told of rows that are written.
    """
    rows = []
    for write in writes:
        trace = write.content
        row = write.row or Trace(dataset=dataset, uid=trace.uid)
        if row.video_stem != trace.video_stem:
            row.video = None
        row.take = takes[trace.take_uid]
        row.name = trace.name
        row.video_stem = trace.video_stem
        row.reference_reason = trace.reference_reason
        row.provenance = dict(trace.provenance)
        row.has_placeholders = trace.has_placeholders
        row.content_hash = write.content_hash
        rows.append(row)
    changed_rows = [row for row in rows if row.pk is not None]
    replace_contents_of(changed_rows)
    Trace.objects.bulk_update(changed_rows, TRACE_FIELDS, batch_size=BATCH_ROWS)
    Trace.objects.bulk_create([row for row in rows if row.pk is None], batch_size=BATCH_ROWS)
    contents = [write.content for write in writes]
    write_trace_steps(rows, contents, write_events(rows, contents), note)


def replace_contents_of(traces: Sequence[Trace]) -> None:
    """Delete events and rows of traces that are about to be written again."""
    TraceStep.objects.filter(trace__in=traces).delete()
    Event.objects.filter(trace__in=traces, kind=EventKind.CORRECTION).delete()
    Event.objects.filter(trace__in=traces).delete()


EventKey = tuple[int, str]


def write_events(rows: Sequence[Trace], contents: Sequence[procedure.Trace]) -> dict[EventKey, int]:
    """Create the events, mistakes first as corrections name them; return row ids by (trace, id)."""
    row_ids: dict[EventKey, int] = {}
    for kind in (EventKind.MISTAKE, EventKind.CORRECTION):
        events = (
            Event(
                trace=row,
                index=index,
                event_id=event.event_id,
                kind=event.kind,
                proposed_type=event.proposed_type or "",
                target_id=row_ids[row.pk, event.target_event_id] if event.target_event_id else None,
            )
            for row, content in zip(rows, contents, strict=True)
            for index, event in enumerate(content.events)
            if event.kind is kind
        )
        while batch := list(islice(events, BATCH_ROWS)):
            created = Event.objects.bulk_create(batch)
            row_ids.update({(event.trace_id, event.event_id): event.pk for event in created})
    return row_ids


def labels_as_json(labels: Iterable[procedure.NativeLabel]) -> list[dict[str, object]]:
    return [
        {"name": label.name, "note": label.note, "is_derived": label.is_derived} for label in labels
    ]


def write_trace_steps(
    rows: Sequence[Trace],
    contents: Sequence[procedure.Trace],
    event_row_ids: Mapping[EventKey, int],
    note: Callable[[int], None] = lambda count: None,
) -> None:
    """Create the rows of the traces, pointing at the steps of their takes and at their events."""
    take_ids = {row.take_id for row in rows}
    known = Step.objects.filter(take_id__in=take_ids).values_list("take_id", "index", "pk")
    step_ids = {(take_id, index): pk for take_id, index, pk in known}
    create_in_batches(
        TraceStep.objects,
        (
            TraceStep(
                trace=row,
                index=index,
                mod=step.mod,
                text=step.text,
                step_id=step.step_id,
                start_s=step.start_s,
                end_s=step.end_s,
                reference_step_id=(
                    None
                    if step.reference_index is None
                    else step_ids[row.take_id, step.reference_index]
                ),
                event_id=event_row_ids[row.pk, step.event_id] if step.event_id else None,
                labels=labels_as_json(step.labels),
            )
            for row, content in zip(rows, contents, strict=True)
            for index, step in enumerate(content.steps)
        ),
        note,
    )


def write_task_graphs(dataset: Dataset, graphs: Iterable[procedure.TaskGraph]) -> bool:
    """Create the task graphs that are new and update those that differ; return whether any did."""
    graph_rows = {graph.scenario: graph for graph in TaskGraph.objects.filter(dataset=dataset)}
    wrote = False
    for graph in graphs:
        nodes = [list(node) for node in graph.nodes]
        edges = [list(edge) for edge in graph.edges]
        row = graph_rows.get(graph.scenario)
        if row is not None and (row.nodes, row.edges) == (nodes, edges):
            continue
        TaskGraph.objects.update_or_create(
            dataset=dataset, scenario=graph.scenario, defaults={"nodes": nodes, "edges": edges}
        )
        wrote = True
    return wrote


# (take or trace, its row id): which recording something is said in.
RecordingKey = tuple[str, int]
# Who says it, from, to, the words and the reason, as the table has them.
Said = tuple[Any, ...]
SAID_FIELDS = ("who", "start_s", "end_s", "text", "reason")


def write_utterances(dataset: Dataset, reading: procedure.Reading) -> bool:
    """Replace what is said in the recordings of a reading where it differs; whether any did."""
    stored: dict[RecordingKey, list[Said]] = {}
    of_dataset = Utterance.objects.filter(Q(take__dataset=dataset) | Q(trace__dataset=dataset))
    ordered = of_dataset.order_by("index")
    for take, trace, *fields in ordered.values_list("take", "trace", *SAID_FIELDS):
        stored.setdefault(("take", take) if take else ("trace", trace), []).append(tuple(fields))
    if not stored and not reading.utterances:
        return False
    wanted = _said_in(dataset, reading)
    changed = {key: said for key, said in wanted.items() if stored.get(key, []) != said}
    for kind in ("take", "trace"):
        ids = [pk for name, pk in changed.keys() & stored.keys() if name == kind]
        Utterance.objects.filter(**{f"{kind}__in": ids}).delete()
    create_in_batches(
        Utterance.objects,
        (
            Utterance(
                **{f"{kind}_id": pk}, index=index, **dict(zip(SAID_FIELDS, said, strict=True))
            )
            for (kind, pk), rows in changed.items()
            for index, said in enumerate(rows)
        ),
    )
    return bool(changed)


def _said_in(dataset: Dataset, reading: procedure.Reading) -> dict[RecordingKey, list[Said]]:
    """What is said in each recording of a reading, also where that is nothing."""
    uids = {
        "take": Take.objects.filter(dataset=dataset).values_list("uid", "pk"),
        "trace": Trace.objects.filter(dataset=dataset).values_list("uid", "pk"),
    }
    row_ids = {(kind, uid): pk for kind, rows in uids.items() for uid, pk in rows}
    found: dict[RecordingKey, list[Said]] = {
        **{("take", row_ids["take", take.uid]): [] for take in reading.takes},
        **{("trace", row_ids["trace", trace.uid]): [] for trace in reading.traces},
    }
    for said in reading.utterances:
        kind, uid = ("take", said.take_uid) if said.take_uid else ("trace", said.trace_uid)
        content = (said.who.value, said.start_s, said.end_s, said.text, said.reason)
        found[kind, row_ids[kind, uid]].append(content)
    return found
