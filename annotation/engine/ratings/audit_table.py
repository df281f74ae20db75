"""What a rater sees of a trace: the aligned table, its marks, and the times behind each row.

Nothing in here knows a planned or native error type, a source's id or the origin of a trace, so
nothing of the kind can reach the page. An event is "Mistake 1", "Correction 1", by its order.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from annotation.engine.corpus.alignment import (
    ALIKE_SIMILARITY,
    AlignedRow,
    Relation,
    WordKind,
    Words,
    align,
    similarity,
    word_differences,
)
from annotation.engine.corpus.procedure import Step, TraceStep
from annotation.engine.corpus.side_by_side import (
    PlayedSection,
    RowSpans,
    SectionKind,
    Span,
    sections,
)
from annotation.engine.corpus.step_words import StepWords
from annotation.engine.corpus.timeline import Match, PieceKind, TimedRow, clock, matching_time
from annotation.engine.taxonomy import EventKind, Mod

SECONDS_PER_MINUTE = 60
SECONDS_PER_HOUR = 3600
# Of the words of both sides. Marks on more than that show nothing but that the texts are others.
MOST_MARKED = 0.5


@dataclass(frozen=True, slots=True)
class EventKey:
    """An event as it is stored: its key in the API, its kind, and the mistake that it corrects."""

    index: int
    kind: EventKind
    target_index: int | None = None


@dataclass(frozen=True, slots=True)
class EventLabel:
    """How an event is called on the page; `index` is its key in the API."""

    index: int
    kind: EventKind
    number: int
    target: str = ""

    @property
    def name(self) -> str:
        return f"{self.kind.capitalize()} {self.number}"


@dataclass(frozen=True, slots=True)
class AuditCell:
    """One side of a row: its number among the steps of that side, its words and its time."""

    number: int
    words: tuple[Words, ...]
    time: str
    is_missing: bool = False


@dataclass(frozen=True, slots=True)
class TableRow:
    """One row of the page's table; `mark` is the kind of its hue, `mark_text` the words beside.

    A note says what an empty or missing side means. `elsewhere` is the number of the step on the
    side where it stands in another row. `reference_echo` repeats the reference step of a row that
    realises it at another place, or the two could not be compared.
    """

    index: int
    relation: Relation
    reference: AuditCell | None
    trace: AuditCell | None
    mark: PieceKind = PieceKind.STEP
    mark_text: str = ""
    event_index: int | None = None
    reference_note: str = ""
    reference_echo: tuple[Words, ...] = ()
    trace_note: str = ""
    elsewhere: int | None = None


@dataclass(frozen=True, slots=True)
class RowTimes:
    """Seconds at which each side shows what a row is about; None where nothing is known."""

    reference_start_s: float | None
    reference_end_s: float | None
    trace_start_s: float | None
    trace_end_s: float | None


@dataclass(frozen=True, slots=True)
class AuditTable:
    """The events in the order in which they are met, the rows, and the times behind them.

    `times` and `spans` have one entry per row: `times` say where to look on both sides, `spans`
    when each side itself does the row. `clock` holds (trace s, reference s) points.
    """

    events: tuple[EventLabel, ...]
    rows: tuple[TableRow, ...]
    times: tuple[RowTimes, ...]
    clock: tuple[tuple[float, float], ...]
    spans: tuple[RowSpans, ...]
    step_words: StepWords = StepWords.ARROWS

    @property
    def is_in_words(self) -> bool:
        return self.step_words is StepWords.WORDS

    @property
    def has_reference_times(self) -> bool:
        return any(row.reference and row.reference.time for row in self.rows)

    @property
    def has_trace_times(self) -> bool:
        return any(row.trace and row.trace.time for row in self.rows)

    def sections(
        self, *, reference_duration_s: float, trace_duration_s: float
    ) -> tuple[PlayedSection, ...]:
        """How two recordings of these lengths play step by step."""
        return sections(
            self.spans,
            reference_duration_s=reference_duration_s,
            trace_duration_s=trace_duration_s,
        )

    def waiting_note(self, section: PlayedSection) -> str:
        """What the side that has nothing to play in a section says."""
        if section.row is None:
            return ""
        row, notes = self.rows[section.row], self.step_words.notes
        if section.kind == SectionKind.TRACE_ONLY:
            return row.reference_note or notes.waits
        if section.kind == SectionKind.REFERENCE_ONLY:
            return row.trace_note or notes.missing
        return ""

    def reference_strip(self) -> list[TimedRow]:
        return [
            TimedRow(row.index, times.reference_start_s, times.reference_end_s, PieceKind.STEP,
                     _words_text(row.reference))
            for row, times in zip(self.rows, self.times, strict=True)
            if row.reference
        ]  # fmt: skip

    def trace_strip(self) -> list[TimedRow]:
        """A missing step has no time of its own."""
        timed_rows = []
        for row, times in zip(self.rows, self.times, strict=True):
            if row.trace is None:
                continue
            if row.trace.is_missing:
                label = self._label_of_missing(row)
                timed_rows.append(TimedRow(row.index, None, None, PieceKind.MISSING, label))
                continue
            text = _words_text(row.trace)
            label = f"{row.mark_text}: {text}" if row.mark_text else text
            timed_rows.append(
                TimedRow(row.index, times.trace_start_s, times.trace_end_s, row.mark, label)
            )
        return timed_rows

    def _label_of_missing(self, row: TableRow) -> str:
        left_out = _words_text(row.reference)
        if self.is_in_words:
            note = self.step_words.notes.missing
            what = f"{row.mark_text}, {note}" if row.mark_text else note.capitalize()
            return f"{what}: {left_out}" if left_out else what
        return f"{row.mark_text}: {left_out} → –" if row.mark_text else f"{left_out} → –"


def label_events(events: Iterable[EventKey]) -> tuple[EventLabel, ...]:
    """The labels of events given in the order in which they are met: each kind from 1."""
    ordered = tuple(events)
    counts = dict.fromkeys(EventKind, 0)
    labels: dict[int, EventLabel] = {}
    for event in ordered:
        counts[event.kind] += 1
        labels[event.index] = EventLabel(event.index, event.kind, counts[event.kind])
    return tuple(
        replace(labels[event.index], target=labels[event.target_index].name)
        if event.target_index in labels
        else labels[event.index]
        for event in ordered
    )


def build_table(
    reference: Sequence[Step],
    trace: Sequence[TraceStep],
    events: Iterable[EventKey],
    step_words: StepWords = StepWords.ARROWS,
) -> AuditTable:
    """The page's table; `event_id` of a trace step is the event's index as text."""
    aligned = align(reference, trace)
    # Events in the order of their first rows, those without a row last: the source may list a
    # deleted step at the end of a trace, and the table shows it in its place.
    places: dict[str | None, int] = {}
    for place, item in enumerate(aligned):
        if item.trace_index is not None and trace[item.trace_index].mod != Mod.CASCADE:
            places.setdefault(trace[item.trace_index].event_id, place)
    labels = label_events(
        sorted(events, key=lambda event: (places.get(str(event.index), len(aligned)), event.index))
    )
    by_id = {str(event.index): event for event in labels}
    builder = _TableBuilder(reference, trace, by_id, step_words)
    rows = tuple(builder.row(index, item) for index, item in enumerate(aligned))
    spans = tuple(
        RowSpans(index, _span(reference, item.reference_index), _span(trace, item.trace_index))
        for index, item in enumerate(aligned)
    )
    points = clock(
        Match(span.reference.start_s, span.reference.end_s, span.trace.start_s, span.trace.end_s)
        for span in spans
        if span.reference and span.trace
    )
    times = tuple(_row_times(item, reference, trace, points) for item in aligned)
    return AuditTable(labels, rows, times, points, spans, step_words)


def _span(steps: Sequence[Step] | Sequence[TraceStep], at: int | None) -> Span | None:
    start_s, end_s = _times(steps, at)
    return None if start_s is None or end_s is None else Span(start_s, end_s)


def _times(
    steps: Sequence[Step] | Sequence[TraceStep], at: int | None
) -> tuple[float | None, float | None]:
    return (None, None) if at is None else (steps[at].start_s, steps[at].end_s)


def time_text(seconds: float) -> str:
    """Minutes and seconds, with hours where there are some.

    >>> time_text(64.4), time_text(3725)
    ('1:04', '1:02:05')
    """
    whole = int(seconds)
    hours, rest = divmod(whole, SECONDS_PER_HOUR)
    minutes, whole = divmod(rest, SECONDS_PER_MINUTE)
    return f"{hours}:{minutes:02}:{whole:02}" if hours else f"{minutes}:{whole:02}"


def _span_text(start_s: float | None, end_s: float | None) -> str:
    if start_s is None or end_s is None:
        return ""
    return f"{time_text(start_s)}–{time_text(end_s)}"


def _words_text(cell: AuditCell | None) -> str:
    return "".join(run.text for run in cell.words) if cell else ""


class _TableBuilder:
    """Turns aligned rows into shown rows; holds what every row needs to look up."""

    def __init__(
        self,
        reference: Sequence[Step],
        trace: Sequence[TraceStep],
        events: Mapping[str, EventLabel],
        step_words: StepWords,
    ) -> None:
        self.notes = step_words.notes
        self.reference = reference
        self.trace = trace
        self.events = events
        self.numbers: list[int] = []
        for step in trace:
            last = self.numbers[-1] if self.numbers else 0
            self.numbers.append(last if step.mod == Mod.DELETION else last + 1)

    def row(self, index: int, item: AlignedRow) -> TableRow:
        old_words, new_words = self._words(item)
        elsewhere, notes = item.elsewhere_index, self.notes
        reference, reference_note, other_place = None, "", None
        echo: tuple[Words, ...] = ()
        if item.reference_index is not None:
            span = _span_text(*_times(self.reference, item.reference_index))
            reference = AuditCell(item.reference_index + 1, old_words, span)
        elif elsewhere is None:
            reference_note = notes.added
        else:
            is_again = item.relation == Relation.INSERTED
            other_place, echo = elsewhere + 1, old_words
            stands_as = notes.once_more if is_again else notes.stands_as
            reference_note = stands_as.format(other_place)
        trace, trace_note = None, ""
        mark, mark_text, event = PieceKind.STEP, "", None
        if item.trace_index is not None:
            done = self.trace[item.trace_index]
            span = _span_text(*_times(self.trace, item.trace_index))
            number, is_missing = self.numbers[item.trace_index], done.mod == Mod.DELETION
            trace = AuditCell(number, new_words, span, is_missing=is_missing)
            trace_note = notes.missing if is_missing else ""
            event = self.events.get(done.event_id or "")
            if done.mod == Mod.CASCADE:
                mark = PieceKind.CASCADE
                mark_text = f"follows {event.name.lower()}" if event else "follow-up"
            elif event is not None:
                mark, mark_text = PieceKind(event.kind), event.name
        elif elsewhere is None:
            trace_note = notes.missing
        else:
            other_place = self.numbers[elsewhere]
            trace_note = notes.done_as.format(other_place)
        return TableRow(
            index=index,
            relation=item.relation,
            reference=reference,
            trace=trace,
            mark=mark,
            mark_text=mark_text,
            event_index=event.index if event else None,
            reference_note=reference_note,
            reference_echo=echo,
            trace_note=trace_note,
            elsewhere=other_place,
        )

    def _words(self, item: AlignedRow) -> tuple[tuple[Words, ...], tuple[Words, ...]]:
        step_index = item.reference_index
        if step_index is None:
            step_index = item.elsewhere_index
        old = self.reference[step_index].text if step_index is not None else ""
        new = self.trace[item.trace_index].text if item.trace_index is not None else ""
        if old and new and old != new and similarity(old, new) >= ALIKE_SIMILARITY:
            marked = word_differences(old, new)
            if _are_marks_of_help(marked):
                return marked
        return (Words(old, WordKind.SAME),), (Words(new, WordKind.SAME),)


def _are_marks_of_help(sides: tuple[tuple[Words, ...], tuple[Words, ...]]) -> bool:
    """Whether one run of words differs, or no more than half of them do.

    An instruction beside a free remark shares small words all over, and every second one is marked.
    """
    differing = [[run for run in side if run.kind is not WordKind.SAME] for side in sides]
    if max(len(runs) for runs in differing) <= 1:
        return True
    marked = sum(len(run.text.split()) for runs in differing for run in runs)
    return marked <= MOST_MARKED * sum(len(run.text.split()) for side in sides for run in side)


def _row_times(
    item: AlignedRow,
    reference: Sequence[Step],
    trace: Sequence[TraceStep],
    points: Sequence[tuple[float, float]],
) -> RowTimes:
    """The times of both sides; an empty side gets the moment that matches the other."""
    step_index, trace_index = item.reference_index, item.trace_index
    if step_index is None:
        step_index = item.elsewhere_index
    elif trace_index is None:
        trace_index = item.elsewhere_index
    reference_start_s, reference_end_s = _times(reference, step_index)
    trace_start_s, trace_end_s = _times(trace, trace_index)
    if reference_start_s is None and trace_start_s is not None:
        reference_start_s = matching_time(points, trace_start_s)
    elif trace_start_s is None and reference_start_s is not None:
        trace_start_s = matching_time([(there, here) for here, there in points], reference_start_s)
    return RowTimes(reference_start_s, reference_end_s, trace_start_s, trace_end_s)
