"""What a rater has watched: stretches of both recordings, each with the moment it was first seen.

Watching the same twice counts once. Nothing here trusts a browser: stretches lie within the
recording, and nobody watches more than the clock allows at the highest speed. Seconds of a
recording are counted from its start, moments (`at_s`) from 1970.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from annotation.engine.corpus.side_by_side import Span
from annotation.engine.taxonomy import Mod

# The page plays at most twice as fast, and 35% more for a moment to catch up with the other side.
HIGHEST_SPEED = 2.2
# The clocks of browser and server tick apart, and a page is a moment older than its address.
SLACK_S = 2.0
SMALLEST_S = 0.02
# Moments are kept to the millisecond.
ROUNDING_S = 0.001
MOST_SPANS = 2000
# A step that is missing has no time of its own: its place is watched this far on both sides of it.
MISSING_CONTEXT_S = 1.0
# Less than this of an event is no look at it.
SEEN_S = 0.1


@dataclass(frozen=True, slots=True)
class WatchedSpan:
    """A stretch of one recording, and when it was watched first."""

    start_s: float
    end_s: float
    at_s: float

    @property
    def duration_s(self) -> float:
        return self.end_s - self.start_s

    def to_list(self) -> list[float]:
        return [round(self.start_s, 2), round(self.end_s, 2), round(self.at_s, 3)]

    @classmethod
    def from_list(cls, values: Sequence[float]) -> "WatchedSpan":
        return cls(*values)


@dataclass(frozen=True, slots=True)
class Limits:
    """What one side can have been watched at most: its length and the time the page was open."""

    duration_s: float
    open_s: float

    @property
    def watched_s(self) -> float:
        return HIGHEST_SPEED * (self.open_s + SLACK_S)


def watched_seconds(spans: Iterable[WatchedSpan]) -> float:
    """How much of a recording the spans are; they do not overlap."""
    return sum(span.duration_s for span in spans)


def add_watched(
    watched: Sequence[WatchedSpan],
    reported: Iterable[tuple[float, float]],
    *,
    at_s: float,
    limits: Limits,
) -> tuple[tuple[WatchedSpan, ...], float]:
    """The spans with what is new in the report, and the seconds that were refused.

    Only what was not watched before is added, so that the same report twice changes nothing. What
    lies outside the recording is left out; what exceeds the clock is refused.
    """
    spans = sorted(watched, key=lambda span: span.start_s)
    # Written so that NaN fails.
    stretches = sorted(
        (start_s, min(end_s, limits.duration_s))
        for start_s, end_s in reported
        if 0 <= start_s < end_s
    )
    left_s = limits.watched_s - watched_seconds(spans)
    refused_s = 0.0
    added: list[WatchedSpan] = []
    for gap in _gaps(spans, stretches):
        if gap.duration_s > left_s or len(spans) + len(added) >= MOST_SPANS:
            refused_s += gap.duration_s
            continue
        left_s -= gap.duration_s
        added.append(WatchedSpan(gap.start_s, gap.end_s, at_s))
    return tuple(sorted([*spans, *added], key=lambda span: span.start_s)), refused_s


def _gaps(spans: Sequence[WatchedSpan], stretches: Sequence[tuple[float, float]]) -> Iterator[Span]:
    """Yield the parts of the stretches that no span covers, each once; both are sorted.

    One pass over both: a page may send thousands of stretches, and others wait to save meanwhile.
    """
    place, cursor_s = 0, 0.0
    for start_s, end_s in stretches:
        cursor_s = max(cursor_s, start_s)
        while cursor_s < end_s:
            if place < len(spans) and spans[place].end_s <= cursor_s:
                place += 1
                continue
            covered_s = spans[place].start_s if place < len(spans) else end_s
            gap = Span(cursor_s, min(covered_s, end_s))
            if gap.duration_s >= SMALLEST_S:
                yield gap
            cursor_s = end_s if covered_s >= end_s else spans[place].end_s


def joined(spans: Iterable[WatchedSpan]) -> list[list[float]]:
    """[start, end] of what was watched at any time, touching stretches as one.

    >>> joined([WatchedSpan(4, 6, 9), WatchedSpan(0, 4, 7), WatchedSpan(8, 9, 8)])
    [[0, 6], [8, 9]]
    """
    return _merged(((span.start_s, span.end_s) for span in spans), slack_s=SMALLEST_S)


def _merged(pairs: Iterable[tuple[float, float]], *, slack_s: float = 0.0) -> list[list[float]]:
    found: list[list[float]] = []
    for start_s, end_s in sorted(pairs):
        if found and start_s <= found[-1][1] + slack_s:
            found[-1][1] = max(found[-1][1], end_s)
        else:
            found.append([start_s, end_s])
    return found


@dataclass(frozen=True, slots=True)
class EventStep:
    """What evidence needs of one trace step: whose event it is, and when both sides do it."""

    event_id: int | None
    mod: Mod
    reference: Span | None
    trace: Span | None


@dataclass(frozen=True, slots=True)
class Windows:
    """When an event is to be seen on each side; empty where a side does not show it."""

    reference: tuple[Span, ...]
    trace: tuple[Span, ...]


def event_windows(steps: Sequence[EventStep], *, trace_duration_s: float) -> dict[int, Windows]:
    """The windows of each event of a trace, from its steps in their order.

    Follow-up edits are not part of an event. An event without a time of its own, a missing step,
    is to be seen around the end of the step before it.
    """
    found: dict[int, tuple[list[Span], list[Span]]] = {}
    places: dict[int, float] = {}
    last_end_s = 0.0
    for step in steps:
        if step.trace is not None:
            last_end_s = step.trace.end_s
        if step.event_id is None or step.mod == Mod.CASCADE:
            continue
        reference, trace = found.setdefault(step.event_id, ([], []))
        places.setdefault(step.event_id, last_end_s)
        if step.reference is not None:
            reference.append(step.reference)
        if step.trace is not None:
            trace.append(step.trace)
    windows = {}
    for event_id, (reference, trace) in found.items():
        if not trace:
            place_s = min(places[event_id], trace_duration_s)
            end_s = min(places[event_id] + MISSING_CONTEXT_S, trace_duration_s)
            trace.append(Span(max(0.0, place_s - MISSING_CONTEXT_S), end_s))
        windows[event_id] = Windows(_union(reference), _union(trace))
    return windows


def _union(spans: Iterable[Span]) -> tuple[Span, ...]:
    return tuple(Span(*pair) for pair in _merged((span.start_s, span.end_s) for span in spans))


def seconds_within(
    spans: Iterable[WatchedSpan], windows: Sequence[Span], *, until_s: float | None = None
) -> float:
    """How many seconds of the windows were watched, first until a moment if one is given."""
    return sum(
        max(0.0, min(span.end_s, window.end_s) - max(span.start_s, window.start_s))
        for span in spans
        if until_s is None or span.at_s <= until_s + ROUNDING_S
        for window in windows
    )


@dataclass(frozen=True, slots=True)
class Evidence:
    """What of an event had been watched when an answer was given; None where it is not known.

    `trace_length_s` is how long the event is to be seen in the trace.
    """

    reference_s: float | None
    trace_s: float | None
    trace_length_s: float | None = None

    @property
    def is_unseen(self) -> bool:
        return self.trace_s is not None and self.trace_s < min(
            SEEN_S, self.trace_length_s or SEEN_S
        )

    @property
    def is_half_seen(self) -> bool:
        """Whether less than half was watched, nothing included."""
        return self.trace_s is not None and self.trace_s < (self.trace_length_s or 0) / 2


class ViewingCounts(NamedTuple):
    """How many answers of a rater there are, and how many were given without watching.

    `known` are those of traces with a video of which the site knows what was watched.
    """

    answers: int
    known: int
    unseen: int
    half_seen: int


def count_viewing(answers: Iterable[tuple[int, Evidence]]) -> dict[int, ViewingCounts]:
    """By rater, from (rater's key, evidence of one answer) in any order."""
    found: defaultdict[int, list[int]] = defaultdict(lambda: [0, 0, 0, 0])
    for rater, evidence in answers:
        counts = found[rater]
        counts[0] += 1
        if evidence.trace_s is not None:
            counts[1] += 1
            counts[2] += evidence.is_unseen
            counts[3] += evidence.is_half_seen
    return {rater: ViewingCounts(*counts) for rater, counts in found.items()}
