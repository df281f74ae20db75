"""What the pages of the corpus show, in a fixed number of queries each."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from django.db.models import (
    Count,
    Exists,
    IntegerField,
    Model,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Sum,
    Value,
)
from django.db.models.functions import Coalesce

from annotation.engine.corpus import procedure
from annotation.engine.corpus.alignment import (
    AlignedRow,
    Relation,
    WordKind,
    Words,
    align,
    word_differences,
)
from annotation.engine.rubric.rubric import Metric, current_rubric
from annotation.engine.taxonomy import EventKind, Mod, Speaker, event_type
from annotation.models import (
    Campaign,
    Dataset,
    Event,
    Step,
    Take,
    Trace,
    TraceStep,
    User,
    Utterance,
    Video,
)
from annotation.selectors.corpus import corpus
from annotation.selectors.corpus.corpus import count_of

Row = TypeVar("Row", bound=Model)
Recording = TypeVar("Recording", Take, Trace)
SHOWN_WARNINGS = 200
# The track of what is said: its width, the height of a speaker's row, the least width of a piece.
TRACK_WIDTH, SPEAKER_HEIGHT, LEAST_WIDTH = 1000.0, 12, 2.0


def list_datasets(user: User) -> QuerySet[Dataset]:
    """The visible data sets, each with its counts of takes, traces, events and videos."""
    return (
        corpus.visible_datasets(user)
        .select_related("owner")
        .annotate(
            take_count=count_of(Take.objects.all(), "dataset"),
            trace_count=count_of(Trace.objects.all(), "dataset"),
            event_count=count_of(Event.objects.all(), "trace__dataset"),
            video_count=count_of(Video.objects.all(), "dataset"),
        )
        .order_by("name")
    )


@dataclass(frozen=True, slots=True)
class LabelCount:
    """One bar: a label, how often it occurs, and the count that fills the bar."""

    name: str
    count: int
    highest: int


@dataclass(frozen=True, slots=True)
class DatasetSummary:
    """How much a data set holds. Recordings are the takes and traces that name a video."""

    take_count: int
    step_count: int
    trace_count: int
    trace_step_count: int
    mistake_count: int
    correction_count: int
    recording_count: int
    linked_count: int
    placeholder_count: int
    upload_count: int
    native_labels: tuple[LabelCount, ...]
    derived: tuple[tuple[str, int], ...]

    @property
    def missing_count(self) -> int:
        return self.recording_count - self.linked_count


def summarise_dataset(dataset: Dataset) -> DatasetSummary:
    """How much a data set holds (one query)."""
    has_stem = ~Q(video_stem="")
    is_linked = has_stem & Q(video__isnull=False)
    takes, traces, events = Take.objects.all(), Trace.objects.all(), Event.objects.all()
    is_placeholder = is_linked & Q(has_placeholders=True)
    counts = (
        Dataset.objects.filter(pk=dataset.pk)
        .values(
            all_takes=count_of(takes, "dataset"),
            stems_of_takes=count_of(takes.filter(has_stem), "dataset"),
            linked_takes=count_of(takes.filter(is_linked), "dataset"),
            steps=_row_count(Step.objects.filter(take=OuterRef("pk")), takes),
            all_traces=count_of(traces, "dataset"),
            stems_of_traces=count_of(traces.filter(has_stem), "dataset"),
            linked_traces=count_of(traces.filter(is_linked), "dataset"),
            placeholders=count_of(traces.filter(is_placeholder), "dataset"),
            uploads=count_of(Video.objects.exclude(folder=""), "dataset"),
            trace_steps=_row_count(TraceStep.objects.filter(trace=OuterRef("pk")), traces),
            mistakes=count_of(events.filter(kind=EventKind.MISTAKE), "trace__dataset"),
            corrections=count_of(events.filter(kind=EventKind.CORRECTION), "trace__dataset"),
        )
        .get()
    )
    return DatasetSummary(
        take_count=counts["all_takes"],
        step_count=counts["steps"],
        trace_count=counts["all_traces"],
        trace_step_count=counts["trace_steps"],
        mistake_count=counts["mistakes"],
        correction_count=counts["corrections"],
        recording_count=counts["stems_of_takes"] + counts["stems_of_traces"],
        linked_count=counts["linked_takes"] + counts["linked_traces"],
        placeholder_count=counts["placeholders"],
        upload_count=counts["uploads"],
        native_labels=label_counts(dataset.native_labels),
        derived=derived_counts(dataset.derived),
    )


def _row_count(rows: QuerySet[Row], recordings: QuerySet[Recording]) -> Coalesce:
    """How many rows the recordings of a data set have, by the last row of each.

    Rows are numbered from 0 without gaps, and counting hundreds of thousands takes 20 ms.
    """
    last = rows.order_by("-index").values("index")[:1]
    lengths = recordings.filter(dataset=OuterRef("pk")).annotate(length=Subquery(last) + 1)
    totals = lengths.order_by().values("dataset").annotate(total=Sum("length")).values("total")
    return Coalesce(Subquery(totals, output_field=IntegerField()), 0)


def label_counts(counts: Mapping[str, int]) -> tuple[LabelCount, ...]:
    """The labels from the most frequent to the rarest, each with the highest count."""
    highest = max(counts.values(), default=0)
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return tuple(LabelCount(name, count, highest) for name, count in ordered)


def derived_counts(counts: Mapping[str, int]) -> tuple[tuple[str, int], ...]:
    """What stated rules derived, by name in words."""
    return tuple((name.replace("_", " "), count) for name, count in sorted(counts.items()))


def proposed_types(dataset: Dataset) -> tuple[LabelCount, ...]:
    """How many mistakes and corrections were proposed as each type, in words (one query)."""
    labels = current_rubric().definition(Metric.TAXONOMY_FIT).shown_labels
    events = Event.objects.filter(trace__dataset=dataset).order_by().values_list("proposed_type")
    return label_counts(
        {
            (labels.get(label) or event_type(label).words.capitalize())
            if label
            else "To decide": count
            for label, count in events.annotate(count=Count("pk"))
        }
    )


def takes_of_dataset(dataset: Dataset) -> QuerySet[Take]:
    return (
        Take.objects.filter(dataset=dataset)
        .select_related("video")
        .annotate(step_count=count_of(Step.objects.all(), "take"))
        .order_by("uid")
    )


def scenarios_of(dataset: Dataset) -> tuple[list[str], list[str]]:
    """The scenarios of the takes, and those that the traces' references have (one query)."""
    takes = Take.objects.filter(dataset=dataset).order_by()
    traces = Trace.objects.filter(dataset=dataset).order_by()
    rows = takes.values_list(Value(False), "scenario").union(
        traces.values_list(Value(True), "take__scenario")
    )
    found = sorted(rows)
    return (
        [scenario for is_of_trace, scenario in found if not is_of_trace],
        [scenario for is_of_trace, scenario in found if is_of_trace],
    )


@dataclass(frozen=True, slots=True)
class ReadAgainst:
    """How many traces of one data set are read against a take."""

    dataset_id: str
    name: str
    count: int


@dataclass(frozen=True, slots=True)
class References:
    """The traces that are read against a take: of its own data set, and of others by count."""

    own_count: int
    others: tuple[ReadAgainst, ...]

    @property
    def other_count(self) -> int:
        return sum(item.count for item in self.others)


def references_by_take(takes: Iterable[Take], user: User) -> dict[int, References]:
    """What is read against each of the takes, by primary key (one query).

    Only data sets that the user may look into are counted and named.
    """
    own = {take.pk: take.dataset_id for take in takes}
    rows = (
        Trace.objects.filter(take__in=list(own), dataset__in=corpus.visible_datasets(user))
        .order_by("-dataset__pk")
        .values_list("take", "dataset", "dataset__public_id", "dataset__name")
        .annotate(count=Count("pk"))
    )
    own_counts = dict.fromkeys(own, 0)
    others: dict[int, list[ReadAgainst]] = {take_id: [] for take_id in own}
    for take_id, dataset_id, public_id, name, count in rows:
        if dataset_id == own[take_id]:
            own_counts[take_id] = count
        else:
            others[take_id].append(ReadAgainst(public_id, name, count))
    return {key: References(own_counts[key], tuple(others[key])) for key in own}


def traces_of_dataset(dataset: Dataset) -> QuerySet[Trace]:
    """The traces with `step_count`, `mistake_count` and `correction_count`."""
    mistakes = Event.objects.filter(kind=EventKind.MISTAKE)
    corrections = Event.objects.filter(kind=EventKind.CORRECTION)
    return (
        Trace.objects.filter(dataset=dataset)
        .select_related("video", "take")
        .annotate(
            step_count=count_of(TraceStep.objects.all(), "trace"),
            mistake_count=count_of(mistakes, "trace"),
            correction_count=count_of(corrections, "trace"),
        )
        .order_by("uid")
    )


def video_warnings(dataset: Dataset) -> list[Video]:
    return list(Video.objects.filter(dataset=dataset).exclude(warnings=[]).order_by("stem"))


def unlinked_stems(dataset: Dataset) -> list[str]:
    """The recordings without a video, by name, at most `SHOWN_WARNINGS`."""
    missing = Q(dataset=dataset, video__isnull=True) & ~Q(video_stem="")
    takes = Take.objects.filter(missing).order_by().values_list("video_stem", flat=True)
    traces = Trace.objects.filter(missing).order_by().values_list("video_stem", flat=True)
    return list(takes.union(traces).order_by("video_stem")[:SHOWN_WARNINGS])


def lacking_videos(campaign: Campaign) -> list[Dataset]:
    """The data sets of a campaign of which a recording that has a name has no video (1 query)."""
    missing = Q(dataset=OuterRef("pk"), video__isnull=True) & ~Q(video_stem="")
    takes, traces = Take.objects.filter(missing), Trace.objects.filter(missing)
    lacking = campaign.datasets.filter(Exists(takes) | Exists(traces))
    return list(lacking.select_related("owner").order_by("name"))


# Which of the three meanings a row carries; unchanged rows carry none.
KIND_OF_MOD = {
    Mod.ERROR: "mistake",
    Mod.INSERTION: "mistake",
    Mod.DELETION: "mistake",
    Mod.MOVED_SOURCE: "mistake",
    Mod.MOVED_TARGET: "mistake",
    Mod.CASCADE: "cascade",
    Mod.CORRECTION: "correction",
}


@dataclass(frozen=True, slots=True)
class TraceTableRow:
    """One line of a trace's page: a step of the reference, a row of the trace, or both.

    Numbers count from 1; `elsewhere_number` is the partner on the other side that stands in
    another line. The words are marked where both sides have a text.
    """

    relation: Relation
    reference_number: int | None
    reference_words: tuple[Words, ...]
    reference_step: procedure.Step | None
    trace_number: int | None
    trace_words: tuple[Words, ...]
    trace_step: procedure.TraceStep | None
    event: procedure.Event | None
    elsewhere_number: int | None

    @property
    def kind(self) -> str:
        return KIND_OF_MOD.get(self.trace_step.mod, "") if self.trace_step else ""

    @property
    def reference_span(self) -> tuple[float | None, float | None]:
        return _span(self.reference_step)

    @property
    def trace_span(self) -> tuple[float | None, float | None]:
        return _span(self.trace_step)


def _span(
    step: procedure.Step | procedure.TraceStep | None,
) -> tuple[float | None, float | None]:
    return (None, None) if step is None else (step.start_s, step.end_s)


def trace_table(trace: Trace) -> tuple[TraceTableRow, ...]:
    """Reference and trace side by side with labels and proposed types, for researchers."""
    return side_by_side(
        corpus.as_shown(corpus.procedure_of(trace.take), trace.take),
        corpus.as_shown(corpus.trace_of(trace), trace.take),
    )


def side_by_side(reference: procedure.Take, content: procedure.Trace) -> tuple[TraceTableRow, ...]:
    return tuple(
        _table_row(aligned, reference, content) for aligned in align(reference.steps, content.steps)
    )


def _table_row(
    aligned: AlignedRow, reference: procedure.Take, content: procedure.Trace
) -> TraceTableRow:
    step = None if aligned.reference_index is None else reference.steps[aligned.reference_index]
    row = None if aligned.trace_index is None else content.steps[aligned.trace_index]
    old_text, new_text = step.text if step else "", row.text if row else ""
    if old_text and new_text:
        old_words, new_words = word_differences(old_text, new_text)
    else:
        old_words, new_words = _plain_words(old_text), _plain_words(new_text)
    events = {event.event_id: event for event in content.events}
    return TraceTableRow(
        relation=aligned.relation,
        reference_number=_number_of(aligned.reference_index),
        reference_words=old_words,
        reference_step=step,
        trace_number=_number_of(aligned.trace_index),
        trace_words=new_words,
        trace_step=row,
        event=events.get(row.event_id) if row and row.event_id else None,
        elsewhere_number=_number_of(aligned.elsewhere_index),
    )


def _plain_words(text: str) -> tuple[Words, ...]:
    return (Words(text, WordKind.SAME),) if text else ()


def _number_of(index: int | None) -> int | None:
    return None if index is None else index + 1


@dataclass(frozen=True, slots=True)
class SaidPiece:
    """Something that is said, with its place on the track."""

    who: str
    start_s: float
    end_s: float
    text: str
    reason: str
    x: float
    width: float
    y: int


def said_on_the_clock(said: Iterable[Utterance], video: Video | None) -> list[SaidPiece]:
    """What is said in a recording, by time (one query); the track is as long as the recording."""
    rows = sorted(said, key=lambda one: (one.start_s, one.index))
    length_s = max([one.end_s for one in rows] + ([video.duration_s] if video else []), default=0.0)
    places = {who.value: SPEAKER_HEIGHT * place for place, who in enumerate(Speaker)}
    scale = TRACK_WIDTH / length_s if length_s else 0.0
    return [
        SaidPiece(
            one.who,
            one.start_s,
            one.end_s,
            one.text,
            one.reason,
            round(min(scale * one.start_s, TRACK_WIDTH - LEAST_WIDTH), 1),
            round(max(scale * (one.end_s - one.start_s), LEAST_WIDTH), 1),
            places[one.who] + 1,
        )
        for one in rows
    ]
