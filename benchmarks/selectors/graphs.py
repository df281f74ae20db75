"""Read task graphs and the walks of recordings through them, in a fixed number of queries."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from django.db.models import Q, QuerySet
from django.http import Http404

from annotation.analytics.tables.table import Cell, Column, Row, RowGroup, Table
from annotation.engine.corpus.formats.registry import shown_text_of
from annotation.engine.taxonomy import EventKind, Mod, event_type
from annotation.models import Dataset, Event, Round, Step, Take, Trace, TraceStep, User, Video
from annotation.selectors.campaigns.campaigns import visible_campaigns
from annotation.selectors.corpus.corpus import get_take_for_user, get_trace_for_user
from benchmarks.engine.graphs.walks import DoneRow, Procedure, Walk, walk_of
from benchmarks.models import Item, ItemSet
from benchmarks.selectors.item_sets import visible_item_sets
from segments.models import SegmentRecording

TAKE, TRACE = "take", "trace"
STEP = ("step_id", "text", "start_s", "end_s")
RECORDED = ("pk", "public_id", "uid", "name", "video")


@dataclass(frozen=True, slots=True)
class GraphRecording:
    """A recording with the rows that were done in it; `is_normal`: no mistake is marked."""

    kind: str
    scenario: str
    is_normal: bool
    rows: list[DoneRow]
    pk: int
    public_id: str
    uid: str
    name: str
    video_id: int | None

    @property
    def key(self) -> str:
        """The key that items use (`benchmarks.engine.material.Recording`)."""
        return f"{self.kind}:{self.uid}"


@dataclass(frozen=True, slots=True)
class RecordingWalk:
    recording: GraphRecording
    procedure: Procedure
    walk: Walk

    @property
    def is_suspect(self) -> bool:
        """Whether no mistake is marked although the order is not valid."""
        return self.recording.is_normal and bool(self.walk.faults)


def procedures_of(dataset: Dataset, **chosen: object) -> list[Procedure]:
    """The procedures of a data set with task graphs, filtered by `chosen` (two queries)."""
    graphs = list(dataset.task_graphs.filter(**chosen).order_by("scenario"))
    shown = shown_text_of(dataset.format)
    scenarios = [graph.scenario for graph in graphs]
    steps = Step.objects.filter(take__dataset=dataset, take__scenario__in=scenarios)
    step_of_text: dict[str, dict[str, str]] = defaultdict(dict)
    rows = steps.order_by("take__uid", "index")
    for name, text, step_id in rows.values_list("take__scenario", "text", "step_id"):
        step_of_text[name].setdefault(shown(text), step_id or shown(text))
    return [
        Procedure.of(
            graph.pk,
            graph.scenario,
            [(str(node), shown(text)) for node, text in graph.nodes],
            [(str(before), str(after)) for before, after in graph.edges],
            step_of_text[graph.scenario],
        )
        for graph in graphs
    ]


def get_procedure(dataset: Dataset, number: int) -> Procedure:
    procedures = procedures_of(dataset, pk=number)
    if not procedures:
        raise Http404
    return procedures[0]


def walks_of(
    dataset: Dataset, procedures: Iterable[Procedure], *, has_marks: bool = False
) -> list[RecordingWalk]:
    """The walks of all recordings of the procedures, in order of their names (five queries).

    Marks of mistakes take long to read and are only read with `has_marks`.
    """
    by_name = {procedure.scenario: procedure for procedure in procedures}
    in_takes, in_traces = Q(scenario__in=by_name), Q(take__scenario__in=by_name)
    recordings = _recordings(dataset, in_takes, in_traces, has_marks=has_marks)
    return [
        RecordingWalk(row, by_name[row.scenario], walk_of(by_name[row.scenario], row.rows))
        for row in sorted(recordings, key=lambda row: (row.scenario, row.name, row.uid))
    ]


def recording_walk_of(dataset: Dataset, key: str) -> RecordingWalk | None:
    """The walk of the recording with an item's key; None without the recording or its graph.

    The caller checks that the user may read the data set.
    """
    kind, _, uid = key.partition(":")
    this, none = Q(uid=uid), Q(pk=None)
    rows = list(_recordings(dataset, *((this, none) if kind == TAKE else (none, this))))
    procedures = procedures_of(dataset, scenario=rows[0].scenario) if rows else []
    if not procedures:
        return None
    return RecordingWalk(rows[0], procedures[0], walk_of(procedures[0], rows[0].rows))


def get_recording_walk(user: User, kind: str, public_id: str) -> tuple[Dataset, RecordingWalk]:
    """The walk of a recording that the user may see; raises Http404, also for no task graph."""
    if kind not in {TAKE, TRACE}:
        raise Http404
    row = (get_take_for_user if kind == TAKE else get_trace_for_user)(user, public_id)
    walk = recording_walk_of(row.dataset, f"{kind}:{row.uid}")
    if walk is None:
        raise Http404
    return row.dataset, walk


def _recordings(
    dataset: Dataset, of_takes: Q, of_traces: Q, *, has_marks: bool = True
) -> Iterator[GraphRecording]:
    """Recordings with their rows.

    Takes without a video and without times are written procedures, not recordings.
    """
    shown = shown_text_of(dataset.format)
    takes = Take.objects.filter(of_takes, dataset=dataset)
    steps_of_takes = Step.objects.filter(take__in=takes).order_by("take", "index")
    done: dict[int, list[DoneRow]] = defaultdict(list)
    for take, step_id, text, *times in steps_of_takes.values_list("take", *STEP):
        # A row without a step id, such as an inserted action, is identified by its text.
        done[take].append(DoneRow(step_id or shown(text), shown(text), *times))
    for video_stem, scenario, pk, *fields in takes.values_list("video_stem", "scenario", *RECORDED):
        if video_stem or any(row.start_s is not None for row in done[pk]):
            yield GraphRecording(TAKE, scenario, True, done[pk], pk, *fields)

    traces = Trace.objects.filter(of_traces, dataset=dataset)
    steps_of_traces = TraceStep.objects.filter(trace__in=traces).order_by("trace", "index")
    marks_of = _marks_of(traces) if has_marks else {}
    done = defaultdict(list)
    for row in steps_of_traces.values_list("trace", "pk", "mod", *STEP):
        trace, pk, mod, step_id, text, start_s, end_s = row
        step_id, text, marks = step_id or shown(text), shown(text), marks_of.get(pk, ())
        done[trace].append(DoneRow(step_id, text, start_s, end_s, marks, mod == Mod.DELETION))
    mistakes = Event.objects.filter(trace__in=traces, kind=EventKind.MISTAKE)
    with_mistakes = set(mistakes.order_by().values_list("trace", flat=True))
    for scenario, pk, *fields in traces.values_list("take__scenario", *RECORDED):
        yield GraphRecording(TRACE, scenario, pk not in with_mistakes, done[pk], pk, *fields)


def _marks_of(traces: QuerySet[Trace]) -> dict[int, tuple[str, ...]]:
    """The marked mistakes of steps by their row ids: labels, else the type of the mistake."""
    is_marked = ~Q(labels=[]) | (Q(event__kind=EventKind.MISTAKE) & ~Q(mod=Mod.CASCADE))
    rows = TraceStep.objects.filter(is_marked, trace__in=traces)
    marks = {}
    for pk, labels, mod, kind, proposed in rows.values_list(
        "pk", "labels", "mod", "event__kind", "event__proposed_type"
    ):
        marks[pk] = tuple(label["name"] for label in labels if not label["is_derived"])
        if not marks[pk] and kind == EventKind.MISTAKE and mod != Mod.CASCADE:
            marks[pk] = (event_type(proposed).words if proposed else "mistake",)
    return marks


def rounds_with(user: User, walks: Iterable[RecordingWalk]) -> dict[tuple[str, int], list[Round]]:
    """The visible rounds of segments with these recordings, by kind and row id (one query).

    A round's recording is that of its trace where it names one.
    """
    keys = {(walk.recording.kind, walk.recording.pk) for walk in walks}
    inside = Q(trace__isnull=True, take__in=[pk for kind, pk in keys if kind == TAKE])
    inside |= Q(trace__in=[pk for kind, pk in keys if kind == TRACE])
    rows = SegmentRecording.objects.filter(inside, round__campaign__in=visible_campaigns(user))
    rounds: dict[tuple[str, int], list[Round]] = defaultdict(list)
    for row in rows.select_related("round__campaign").order_by("round"):
        key = (TRACE, row.trace_id) if row.trace_id else (TAKE, row.take_id)
        rounds[key].append(row.round)
    return rounds


def item_sets_with(user: User, dataset: Dataset, key: str) -> list[tuple[ItemSet, str]]:
    """The item sets that ask about the recording with a key, and its name in each (one query)."""
    rows = (
        Item.objects.filter(
            item_set__in=visible_item_sets(user).filter(dataset=dataset, made_at__isnull=False),
            source_recording=key,
        )
        .select_related("item_set")
        .order_by("item_set", "position")
    )
    first: dict[int, tuple[ItemSet, str]] = {}
    for row in rows.only("item_set", "recording"):
        first.setdefault(row.item_set_id, (row.item_set, row.recording))
    return list(first.values())


def video_of(recording: GraphRecording) -> Video | None:
    if recording.video_id is None:
        return None
    return Video.objects.get(pk=recording.video_id)


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


def walks_table(dataset: Dataset, walks: Iterable[RecordingWalk]) -> Table:
    """A table for download with a row per recording; pairs of steps are "before > after"."""
    rows = []
    for walk in walks:
        check, recording = walk.walk.check, walk.recording
        marks = dict.fromkeys(mark for row in recording.rows for mark in row.marks)
        words_of: dict[str, Iterable[object]] = {
            "recording": [recording.uid],
            "marked": ["normal" if recording.is_normal else "with mistakes"],
            "labels": marks,
            "is_valid": ["the graph has a cycle"],
        }
        if check is not None:
            words_of |= {
                "is_valid": ["yes" if check.is_valid else "no"],
                "reversed": [f"{a} > {b}" for a, b in check.violations_closure],
                "unmet": [f"{a} > {b}" for a, b in check.unmet],
                "missing": check.missing,
                "repeated": check.repeated,
                "unknown": check.unknown,
            }
        cells = {column: Cell("; ".join(map(str, words))) for column, words in words_of.items()}
        rows.append(Row(Cell(recording.scenario), cells))
    title = f"Recordings of {dataset.name} against their task graphs"
    return Table("walks", title, "Procedure", WALK_COLUMNS, (RowGroup("", tuple(rows)),))
