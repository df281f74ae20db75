"""Read task graphs and the recordings that walk through them, in a fixed number of queries."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from django.db.models import Q, QuerySet
from django.http import Http404
from django.shortcuts import get_object_or_404

from annotation.analytics.table import Cell, Column, Row, RowGroup, Table
from annotation.engine.formats.registry import shown_text_of
from annotation.engine.taxonomy import EventKind, Mod, event_type
from annotation.models import (
    Dataset,
    Event,
    Round,
    SegmentRecording,
    Step,
    Take,
    TaskGraph,
    Trace,
    TraceStep,
    User,
    Video,
)
from annotation.selectors.campaigns import visible_campaigns
from annotation.selectors.corpus import get_take_for_user, get_trace_for_user
from benchmarks.engine.walks import Done, Procedure, Walk, walk_of
from benchmarks.models import Item, ItemSet
from benchmarks.selectors.item_sets import visible_item_sets

TAKE, TRACE = "take", "trace"


@dataclass(frozen=True, slots=True)
class Recorded:
    """A recording with what was done in it; `is_normal`: nobody marked a mistake."""

    kind: str
    pk: int
    public_id: str
    uid: str
    name: str
    scenario: str
    is_normal: bool
    rows: tuple[Done, ...]
    video_id: int | None = None

    @property
    def key(self) -> str:
        """As items call it (`benchmarks.engine.material.Recording`)."""
        return f"{self.kind}:{self.uid}"


@dataclass(frozen=True, slots=True)
class Walked:
    """A recording and its walk through the graph of its procedure."""

    recorded: Recorded
    procedure: Procedure
    walk: Walk

    @property
    def is_suspect(self) -> bool:
        """Nobody marked a mistake, and yet it is no valid order."""
        return self.recorded.is_normal and bool(self.walk.faults)


def procedures_of(dataset: Dataset, scenario: str | None = None) -> dict[int, Procedure]:
    """The procedures that a data set has graphs of, by the graphs' row ids (two queries)."""
    graphs = dataset.task_graphs.order_by("scenario")
    steps = Step.objects.filter(take__dataset=dataset)
    if scenario is not None:
        graphs = graphs.filter(scenario=scenario)
        steps = steps.filter(take__scenario=scenario)
    shown = shown_text_of(dataset.format)
    step_of_text: dict[str, dict[str, str]] = defaultdict(dict)
    rows = steps.order_by("take__uid", "index")
    for name, text, step_id in rows.values_list("take__scenario", "text", "step_id"):
        step_of_text[name].setdefault(shown(text), step_id or shown(text))
    return {
        graph.pk: Procedure.of(
            graph.scenario,
            [(str(node), shown(text)) for node, text in graph.nodes],
            [(str(before), str(after)) for before, after in graph.edges],
            step_of_text[graph.scenario],
        )
        for graph in graphs
    }


def get_graph(dataset: Dataset, number: int) -> TaskGraph:
    return get_object_or_404(dataset.task_graphs, pk=number)


def recordings_of(dataset: Dataset, scenarios: Iterable[str]) -> list[Recorded]:
    """The recordings of these procedures by name, with what was done (five queries).

    Written procedures, which nobody recorded and which have no times, are none.
    """
    takes = Take.objects.filter(dataset=dataset, scenario__in=list(scenarios))
    traces = Trace.objects.filter(dataset=dataset, take__scenario__in=list(scenarios))
    return sorted(_read(takes, traces), key=lambda one: (one.scenario, one.name, one.uid))


def _read(takes: QuerySet[Take], traces: QuerySet[Trace]) -> Iterator[Recorded]:
    done_in_takes: dict[int, list[Done]] = defaultdict(list)
    steps = Step.objects.filter(take__in=takes).order_by("take", "index")
    for take, step_id, text, start_s, end_s in steps.values_list(*_columns("take")):
        done_in_takes[take].append(Done(step_id, text, start_s, end_s))
    for one in takes.select_related("dataset"):
        rows = done_in_takes[one.pk]
        if one.video_stem or any(row.start_s is not None for row in rows):
            yield _recorded(TAKE, one, one.scenario, is_normal=True, rows=rows)
    done_in_traces: dict[int, list[Done]] = defaultdict(list)
    steps_of_traces = TraceStep.objects.filter(trace__in=traces).order_by("trace", "index")
    marked = ("mod", "labels", "event__kind", "event__proposed_type")
    for row in steps_of_traces.values_list(*_columns("trace"), *marked):
        trace, step_id, text, start_s, end_s, mod, labels, kind, proposed = row
        marks = tuple(label["name"] for label in labels if not label["is_derived"])
        if not marks and kind == EventKind.MISTAKE and mod != Mod.CASCADE:
            marks = (event_type(proposed).words if proposed else "mistake",)
        is_left_out = mod == Mod.DELETION
        done_in_traces[trace].append(Done(step_id, text, start_s, end_s, marks, is_left_out))
    mistakes = Event.objects.filter(trace__in=traces, kind=EventKind.MISTAKE)
    with_mistakes = set(mistakes.order_by().values_list("trace", flat=True))
    for found in traces.select_related("dataset", "take"):
        rows = done_in_traces[found.pk]
        is_normal = found.pk not in with_mistakes
        yield _recorded(TRACE, found, found.take.scenario, is_normal=is_normal, rows=rows)


def _columns(parent: str) -> tuple[str, ...]:
    return (parent, "step_id", "text", "start_s", "end_s")


def _recorded(
    kind: str, row: Take | Trace, scenario: str, *, is_normal: bool, rows: list[Done]
) -> Recorded:
    shown = shown_text_of(row.dataset.format)
    # What has no id, as something that was done besides, goes by its words.
    shown_rows = tuple(
        replace(done, step_id=done.step_id or shown(done.text), text=shown(done.text))
        for done in rows
    )
    return Recorded(
        kind, row.pk, row.public_id, row.uid, row.name, scenario, is_normal, shown_rows,
        row.video_id,
    )  # fmt: skip


def walks_of(dataset: Dataset, procedures: Iterable[Procedure]) -> list[Walked]:
    """Every recording of the procedures with its walk."""
    by_name = {procedure.scenario: procedure for procedure in procedures}
    return [
        Walked(one, by_name[one.scenario], walk_of(by_name[one.scenario], one.rows))
        for one in recordings_of(dataset, by_name)
    ]


def get_walked(user: User, kind: str, public_id: str) -> tuple[Dataset, Walked]:
    """A recording that the user may see; raises Http404, also where its procedure has no graph."""
    if kind == TAKE:
        take = get_take_for_user(user, public_id)
        return take.dataset, _walked(take.dataset, take.scenario, Q(pk=take.pk), Q(pk=None))
    trace = get_trace_for_user(user, public_id)
    found = _walked(trace.dataset, trace.take.scenario, Q(pk=None), Q(pk=trace.pk))
    return trace.dataset, found


def walked_of_key(dataset: Dataset, key: str) -> Walked | None:
    """The recording that items call so; None where it or the graph of its procedure is not there.

    The user may read the data set.
    """
    kind, _, uid = key.partition(":")
    if kind == TAKE:
        row = Take.objects.filter(dataset=dataset, uid=uid).values_list("pk", "scenario").first()
    else:
        traces = Trace.objects.filter(dataset=dataset, uid=uid)
        row = traces.values_list("pk", "take__scenario").first()
    if row is None:
        return None
    pk, scenario = row
    only = Q(pk=pk), Q(pk=None)
    try:
        return _walked(dataset, scenario, *(only if kind == TAKE else only[::-1]))
    except Http404:
        return None


def _walked(dataset: Dataset, scenario: str, takes: Q, traces: Q) -> Walked:
    procedures = procedures_of(dataset, scenario)
    if not procedures:
        raise Http404
    [procedure] = procedures.values()
    found = list(
        _read(
            Take.objects.filter(takes, dataset=dataset),
            Trace.objects.filter(traces, dataset=dataset),
        )
    )
    if not found:
        raise Http404
    return Walked(found[0], procedure, walk_of(procedure, found[0].rows))


def rounds_with(user: User, walked: Iterable[Walked]) -> dict[tuple[str, int], list[Round]]:
    """Rounds of segments that the user sees and recordings are in, by kind and row id (one query).

    A recording of a round is that of its trace where one is named.
    """
    keys = {(one.recorded.kind, one.recorded.pk) for one in walked}
    inside = Q(trace__isnull=True, take__in=[pk for kind, pk in keys if kind == TAKE])
    inside |= Q(trace__in=[pk for kind, pk in keys if kind == TRACE])
    rows = SegmentRecording.objects.filter(inside, round__campaign__in=visible_campaigns(user))
    found: dict[tuple[str, int], list[Round]] = defaultdict(list)
    for row in rows.select_related("round__campaign").order_by("round"):
        key = (TRACE, row.trace_id) if row.trace_id else (TAKE, row.take_id)
        found[key].append(row.round)
    return found


def item_sets_with(user: User, dataset: Dataset, recorded: Recorded) -> list[tuple[ItemSet, str]]:
    """The item sets that ask about a recording, and its name in each (one query)."""
    rows = (
        Item.objects.filter(
            item_set__in=visible_item_sets(user).filter(dataset=dataset),
            source_recording=recorded.key,
        )
        .select_related("item_set")
        .order_by("item_set", "position")
    )
    first: dict[int, tuple[ItemSet, str]] = {}
    for row in rows.only("item_set", "recording"):
        first.setdefault(row.item_set_id, (row.item_set, row.recording))
    return list(first.values())


def video_of(recorded: Recorded) -> Video | None:
    if recorded.video_id is None:
        return None
    return Video.objects.filter(pk=recorded.video_id).first()


WALK_COLUMNS = (
    Column("recording", "Recording"),
    Column("marked", "Marked as"),
    Column("is_valid", "Valid order"),
    Column("reversed", "Reversed pairs"),
    Column("unmet", "Steps done without what must come first"),
    Column("missing", "Left out"),
    Column("repeated", "Repeated"),
    Column("unknown", "Not in the graph"),
    Column("labels", "Labels"),
)


def walks_table(dataset: Dataset, walked: Iterable[Walked]) -> Table:
    """A row per recording, for a file; steps by their ids, pairs as "before > after"."""
    rows = []
    for one in walked:
        check, recorded = one.walk.check, one.recorded
        marks = [mark for row in recorded.rows for mark in row.marks]
        cells = {
            "recording": Cell(recorded.uid),
            "marked": Cell("normal" if recorded.is_normal else "with mistakes"),
            "labels": Cell("; ".join(dict.fromkeys(marks))),
        }
        if check is None:
            cells["is_valid"] = Cell("the graph has a cycle")
        else:
            cells |= {
                "is_valid": Cell("yes" if check.is_valid else "no"),
                "reversed": Cell("; ".join(f"{a} > {b}" for a, b in check.violations_closure)),
                "unmet": Cell("; ".join(f"{a} > {b}" for a, b in check.unmet)),
                "missing": Cell("; ".join(map(str, check.missing))),
                "repeated": Cell("; ".join(map(str, check.repeated))),
                "unknown": Cell("; ".join(map(str, check.unknown))),
            }
        rows.append(Row(Cell(recorded.scenario), cells))
    title = f"Recordings of {dataset.name} against their task graphs"
    return Table("walks", title, "Procedure", WALK_COLUMNS, (RowGroup("", tuple(rows)),))
