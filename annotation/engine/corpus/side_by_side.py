"""Two recordings played step by step: which stretch of the one belongs to which of the other.

Each section is a stretch of both recordings. They play at the same speed, and the one that is done
with its part of a section waits for the other. A step that only one side has is a section in which
the other side has nothing to play. Times are seconds from the start of a recording.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from annotation.engine.corpus.timeline import Match, rising_matches

# Shorter than a frame of any recording: rounding of the sources' times, not footage.
SMALLEST_S = 0.005


class SectionKind(StrEnum):
    """What the two sides have in common in a section."""

    STEP = "step"
    TRACE_ONLY = "trace_only"
    REFERENCE_ONLY = "reference_only"
    BETWEEN = "between"


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of one recording."""

    start_s: float
    end_s: float

    @property
    def duration_s(self) -> float:
        return self.end_s - self.start_s


@dataclass(frozen=True, slots=True)
class RowSpans:
    """When a row of the table happens on each side by that side's own times; None where it is not.

    A row that happens on neither side has no place here.
    """

    row: int
    reference: Span | None
    trace: Span | None


@dataclass(frozen=True, slots=True)
class PlayedSection:
    """What both sides play together; `row` is the table's row, None between steps."""

    kind: SectionKind
    row: int | None
    reference: Span
    trace: Span


def sections(
    rows: Sequence[RowSpans], *, reference_duration_s: float, trace_duration_s: float
) -> tuple[PlayedSection, ...]:
    """The sections in playing order, or none where no row is timed on both sides.

    On each side they follow each other without a gap or an overlap, from 0 to the end. Rows that
    both sides have are matched as far as time runs forward on both (`rising_matches`); every other
    row is played by its own side alone, in the order of the table.
    """

    def clip(span: Span | None, duration_s: float) -> Span | None:
        if span is None or span.start_s >= duration_s:
            return None
        return Span(span.start_s, min(span.end_s, duration_s))

    clipped = [
        RowSpans(
            row.row, clip(row.reference, reference_duration_s), clip(row.trace, trace_duration_s)
        )
        for row in rows
    ]
    matches = rising_matches(
        Match(
            row.reference.start_s, row.reference.end_s, row.trace.start_s, row.trace.end_s, row.row
        )
        for row in clipped
        if row.reference and row.trace
    )
    if not matches:
        return ()
    matched = {match.row for match in matches}
    builder = _Builder([row for row in clipped if row.row not in matched])
    for match in matches:
        builder.fill_until(match.reference_start_s, match.trace_start_s)
        following = [other for other in matches if other.trace_start_s > match.trace_start_s]
        builder.add_step(match, following[0] if following else None)
    builder.fill_until(reference_duration_s, trace_duration_s)
    return tuple(builder.found)


class _Builder:
    """Puts sections one after the other; knows how far each side has been played."""

    def __init__(self, alone: Iterable[RowSpans]) -> None:
        self.alone = tuple(alone)
        self.found: list[PlayedSection] = []
        self.reference_s = 0.0
        self.trace_s = 0.0

    def add(
        self, kind: SectionKind, row: int | None, reference_end_s: float, trace_end_s: float
    ) -> None:
        reference = Span(self.reference_s, max(self.reference_s, reference_end_s))
        trace = Span(self.trace_s, max(self.trace_s, trace_end_s))
        if max(reference.duration_s, trace.duration_s) <= 0:
            return
        is_noise = max(reference.duration_s, trace.duration_s) < SMALLEST_S
        if is_noise and self.found:
            last = self.found.pop()
            reference = Span(last.reference.start_s, reference.end_s)
            trace = Span(last.trace.start_s, trace.end_s)
            kind, row = last.kind, last.row
        self.found.append(PlayedSection(kind, row, reference, trace))
        self.reference_s, self.trace_s = reference.end_s, trace.end_s

    def add_step(self, match: Match, following: Match | None) -> None:
        """Play a step of both sides, on each as far as the next one leaves it."""
        reference_end_s, trace_end_s = match.reference_end_s, match.trace_end_s
        if following is not None:
            reference_end_s = min(reference_end_s, following.reference_start_s)
            trace_end_s = min(trace_end_s, following.trace_start_s)
        self.add(SectionKind.STEP, match.row, reference_end_s, trace_end_s)

    def fill_until(self, reference_end_s: float, trace_end_s: float) -> None:
        """Play what lies before the next common step: rows of one side, and unnamed footage.

        Unnamed footage before a row of one side runs beside unnamed footage of the other side, so
        that nobody waits without need.
        """
        reference_rows = self._inside(
            ((row.row, row.reference) for row in self.alone), self.reference_s, reference_end_s
        )
        trace_rows = self._inside(
            ((row.row, row.trace) for row in self.alone), self.trace_s, trace_end_s
        )
        while reference_rows or trace_rows:
            if not trace_rows or (reference_rows and reference_rows[0][0] < trace_rows[0][0]):
                row, span = reference_rows.pop(0)
                free_s = (trace_rows[0][1].start_s if trace_rows else trace_end_s) - self.trace_s
                lead_s = max(0.0, span.start_s - self.reference_s)
                trace_to_s = self.trace_s + min(lead_s, max(0.0, free_s))
                self.add(SectionKind.BETWEEN, None, span.start_s, trace_to_s)
                self.add(SectionKind.REFERENCE_ONLY, row, span.end_s, self.trace_s)
            else:
                row, span = trace_rows.pop(0)
                free_s = (
                    reference_rows[0][1].start_s if reference_rows else reference_end_s
                ) - self.reference_s
                lead_s = max(0.0, span.start_s - self.trace_s)
                reference_to_s = self.reference_s + min(lead_s, max(0.0, free_s))
                self.add(SectionKind.BETWEEN, None, reference_to_s, span.start_s)
                self.add(SectionKind.TRACE_ONLY, row, self.reference_s, span.end_s)
        self.add(SectionKind.BETWEEN, None, reference_end_s, trace_end_s)

    @staticmethod
    def _inside(
        spans: Iterable[tuple[int, Span | None]], start_s: float, end_s: float
    ) -> list[tuple[int, Span]]:
        """The spans cut to start..end, in the order of time, none overlapping another."""
        kept: list[tuple[int, Span]] = []
        cursor_s = start_s
        known = [(row, span) for row, span in spans if span is not None]
        for row, span in sorted(known, key=lambda item: (item[1].start_s, item[0])):
            cut = Span(max(span.start_s, cursor_s), min(span.end_s, end_s))
            if cut.duration_s >= SMALLEST_S:
                kept.append((row, cut))
                cursor_s = cut.end_s
        return kept
