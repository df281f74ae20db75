"""Steps on a time axis: the strip under a player, and which moment matches which.

Times are seconds from the start of a recording; places on a strip are fractions of its length.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise

# A step that takes no time at all would be invisible and could not be clicked.
SMALLEST_FRACTION = 0.002
# A missing step is a mark, wide enough to show its pattern.
MISSING_FRACTION = 0.014


class PieceKind(StrEnum):
    """What a piece of a strip shows; the page gives each a hue, a pattern and a word."""

    STEP = "step"
    MISTAKE = "mistake"
    CORRECTION = "correction"
    CASCADE = "cascade"
    MISSING = "gap"


@dataclass(frozen=True, slots=True)
class TimedRow:
    """What a strip needs of one row: None for both times where nothing is known or done."""

    row: int
    start_s: float | None
    end_s: float | None
    kind: PieceKind
    label: str


@dataclass(frozen=True, slots=True)
class StripPiece:
    """A piece of a strip, from `start` to `end` (fractions, 0 to 1), that leads to `row`."""

    row: int
    start: float
    end: float
    kind: PieceKind
    label: str

    @property
    def left_percent(self) -> str:
        return f"{100 * self.start:.3f}"

    @property
    def width_percent(self) -> str:
        return f"{100 * (self.end - self.start):.3f}"


@dataclass(frozen=True, slots=True)
class Match:
    """One step done in both recordings: when in the reference, when in the trace, in which row."""

    reference_start_s: float
    reference_end_s: float
    trace_start_s: float
    trace_end_s: float
    row: int = -1


def strip(rows: Sequence[TimedRow], duration_s: float) -> tuple[StripPiece, ...]:
    """The pieces of a strip of `duration_s`, in the order in which they are drawn.

    That is the order of the rows, but missing steps come last, to lie on top: each is a mark where
    the row before it ended. Other rows without times are left out, and times beyond the end of the
    recording are drawn at its end. Raises ValueError when the duration is not positive.
    """
    if duration_s <= 0:
        raise ValueError(f"duration is {duration_s} s; expected more than 0")
    pieces: list[StripPiece] = []
    missing: list[StripPiece] = []
    last_end_s = 0.0
    for row in rows:
        if row.kind == PieceKind.MISSING:
            missing.append(_piece(row, last_end_s / duration_s, 0.0, MISSING_FRACTION))
        elif row.start_s is not None and row.end_s is not None:
            start, end = row.start_s / duration_s, row.end_s / duration_s
            pieces.append(_piece(row, start, end, SMALLEST_FRACTION))
            last_end_s = row.end_s
    return (*pieces, *missing)


def _piece(row: TimedRow, start: float, end: float, smallest: float) -> StripPiece:
    start = min(start, 1 - smallest)
    return StripPiece(row.row, start, min(max(end, start + smallest), 1.0), row.kind, row.label)


def known_duration_s(ends_s: Iterable[float | None]) -> float | None:
    """The last known end, or None when nothing is timed: a strip without a recording."""
    return max((end_s for end_s in ends_s if end_s), default=None)


def rising_matches(matches: Iterable[Match]) -> tuple[Match, ...]:
    """The matches that start later than all before them, on both sides.

    Recordings may overlap or repeat steps; time has to run forward on both sides, or playing one
    recording along the other would jump back.
    """
    kept: list[Match] = []
    for match in sorted(matches, key=lambda match: (match.trace_start_s, match.trace_end_s)):
        starts_later = not kept or (
            match.trace_start_s > kept[-1].trace_start_s
            and match.reference_start_s > kept[-1].reference_start_s
        )
        if starts_later:
            kept.append(match)
    return tuple(kept)


def clock(matches: Iterable[Match]) -> tuple[tuple[float, float], ...]:
    """(trace second, reference second) points, both never falling, to interpolate between.

    Each match gives its start and, cut off at the next match's start, its end.
    """
    kept = rising_matches(matches)
    points: list[tuple[float, float]] = []
    for at, match in enumerate(kept):
        points.append((match.trace_start_s, match.reference_start_s))
        trace_end_s, reference_end_s = match.trace_end_s, match.reference_end_s
        if at + 1 < len(kept):
            trace_end_s = min(trace_end_s, kept[at + 1].trace_start_s)
            reference_end_s = min(reference_end_s, kept[at + 1].reference_start_s)
        if trace_end_s > match.trace_start_s:
            points.append((trace_end_s, max(reference_end_s, match.reference_start_s)))
    return tuple(points)


def matching_time(points: Sequence[tuple[float, float]], time_s: float) -> float | None:
    """The second of the other side that matches `time_s`, or None without any point.

    `points` are (this side, other side) as from `clock`. Between points time is stretched; before
    the first and after the last point both sides run at the same speed.
    """
    if not points:
        return None
    first, last = points[0], points[-1]
    if time_s <= first[0]:
        return max(0.0, first[1] - (first[0] - time_s))
    if time_s >= last[0]:
        return last[1] + (time_s - last[0])
    for (here, there), (next_here, next_there) in pairwise(points):
        if time_s <= next_here:
            share = (time_s - here) / (next_here - here)
            return there + share * (next_there - there)
    raise AssertionError("the points do not rise")
