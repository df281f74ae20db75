"""Compare a reading with what the data set has: what would be created, updated, left alone.

Nothing here writes. What an update may not touch (ratings, takes that other imports read against)
is refused with a list.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from django.db.models import Count, Q

from annotation.engine.corpus.content_hash import hash_take, hash_trace
from annotation.engine.corpus.formats.errors import Problem
from annotation.engine.corpus.procedure import Reading
from annotation.engine.corpus.remapping import RemapError, remap_trace
from annotation.engine.counting import counted
from annotation.models import Dataset, RatingEvent, Remark, Take, Trace
from annotation.selectors.corpus import corpus
from annotation.services.corpus.rows import TakeWrite, TraceWrite
from annotation.services.records.locks import lock_ratings_of


class ImportRefusedError(ValueError):
    """The reading is whole but may not come in; `problems` says why, one by one."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(str(item) for item in self.problems))


def refusal(name: str, value: str, expected: str) -> ImportRefusedError:
    """What is wrong with the data set as a whole, for the caller to raise."""
    return ImportRefusedError(
        [Problem(file="", place="data set", field=name, value=repr(value), expected=expected)]
    )


@dataclass(slots=True)
class ImportPlan:
    """What is to be written, and what is not.

    `kept_count` counts the takes and traces of the data set that the reading does not mention.
    """

    takes: list[TakeWrite] = field(default_factory=list)
    traces: list[TraceWrite] = field(default_factory=list)
    unchanged_takes: list[str] = field(default_factory=list)
    unchanged_traces: list[str] = field(default_factory=list)
    kept_count: int = 0


def plan_import(
    reading: Reading, dataset: Dataset | None, *, is_locked: bool = False
) -> ImportPlan:
    """What importing the reading into the data set (None: a new one) would write.

    With `is_locked` nobody can rate what is to be written before the transaction ends.
    Raises `ImportRefusedError` with everything that stands against it.
    """
    plan = ImportPlan()
    if dataset is None:
        take_rows: dict[str, Take] = {}
        trace_rows: dict[str, Trace] = {}
    else:
        take_rows = {row.uid: row for row in Take.objects.filter(dataset=dataset)}
        traces = Trace.objects.filter(dataset=dataset).select_related("take")
        trace_rows = {row.uid: row for row in traces}
    take_hashes: dict[str, str] = {}
    for content in reading.takes:
        content_hash = take_hashes[content.uid] = hash_take(content)
        row = take_rows.get(content.uid)
        if row is not None and row.content_hash == content_hash:
            plan.unchanged_takes.append(content.uid)
        else:
            plan.takes.append(TakeWrite(content, content_hash, row))
    problems = _plan_traces(reading, trace_rows, take_hashes, plan)
    if is_locked:
        lock_ratings_of(write.row.pk for write in plan.traces if write.row is not None)
    problems += _protected_traces(plan)
    if problems:
        raise ImportRefusedError(problems)
    plan.kept_count = len(take_rows.keys() - take_hashes.keys()) + len(
        trace_rows.keys() - {trace.uid for trace in reading.traces}
    )
    return plan


def _plan_traces(
    reading: Reading, traces: dict[str, Trace], take_hashes: dict[str, str], plan: ImportPlan
) -> list[Problem]:
    takes = {take.uid: take for take in reading.takes}
    changed_take_ids = {write.row.pk for write in plan.takes if write.row is not None}
    problems: list[Problem] = []
    for content in reading.traces:
        content_hash = hash_trace(content, take_hashes[content.take_uid])
        row = traces.get(content.uid)
        is_same = row is not None and row.content_hash == content_hash
        if row is not None and is_same and row.take_id not in changed_take_ids:
            plan.unchanged_traces.append(content.uid)
            continue
        try:
            aligned = content
            if row is not None and row.is_reference_manual:
                # A person chose the reference, so the trace goes on being read against it.
                chosen = takes.get(row.take.uid) or corpus.procedure_of(row.take)
                reference = takes[content.take_uid]
                aligned = remap_trace(content, reference, chosen, reason=row.reference_reason)
        except RemapError as error:
            problems.append(_trace_problem(content.uid, str(error), "a reference that has it"))
            continue
        plan.traces.append(TraceWrite(aligned, content_hash, row))
    return problems


def _trace_problem(uid: str, value: str, expected: str) -> Problem:
    return Problem(file="", place=f"trace {uid}", field="", value=value, expected=expected)


def _protected_traces(plan: ImportPlan) -> list[Problem]:
    """List traces whose reference changes without them, or that have ratings or remarks."""
    takes = [write.row for write in plan.takes if write.row is not None]
    rows = [write.row.pk for write in plan.traces if write.row is not None]
    foreign = Trace.objects.filter(take__in=takes).exclude(pk__in=rows)
    rated = (
        RatingEvent.objects.filter(assignment__trace__in=rows)
        .values("assignment__trace__uid")
        .annotate(count=Count("pk", filter=~Q(value="")))
        .order_by("assignment__trace__uid")
    )
    remarks = Remark.objects.filter(assignment__trace__in=rows).exclude(
        assignment__rating_events__isnull=False
    )
    return [
        *(
            _trace_problem(
                trace.uid,
                f"has take {trace.take.uid} as its reference, which the file changes",
                "the trace in the same file, or the take as it was",
            )
            for trace in foreign.select_related("take")
        ),
        *(
            _trace_problem(
                uid,
                "has remarks of raters, and the file changes it or its reference",
                "the trace and its reference as they were when raters wrote about them",
            )
            for uid in remarks.values_list("assignment__trace__uid", flat=True)
            .order_by("assignment__trace__uid")
            .distinct()
        ),
        *(
            _trace_problem(
                item["assignment__trace__uid"],
                f"has {counted(item['count'], 'rating')}, and the file changes it or its reference",
                "the trace and its reference as they were rated",
            )
            for item in rated
        ),
    ]
