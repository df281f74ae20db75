"""The moments at which an assistant decides: those where it should speak, and silent ones between.

Source: Plan, Watch, Recover, section 2.3, appendices F.5 and J. The paper does not say how silent
points are drawn; here no generator has a state, so that a recording has the same points on every
machine, in any order and in any subset of recordings.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from benchmarks.engine.guiding.decisions import Decision

# Raise it when the same events and seed give other points.
RULE_VERSION = 1
STRIDE_S = 0.5
# Appendix J, and F.5.
GAP_S, WIDE_GAP_S = 3.0, 5.0
OPENING, SAMPLED = "opening", "sampled silent"
RELEASED, RELEASED_SILENT = "interrupt of the source", "silence of the source"


@dataclass(frozen=True, slots=True)
class PointEvent:
    """Something at which the assistant should speak, with what it should say.

    `place` is that of the step to do now in the clean plan, from 0; None where it names none.
    """

    time_s: float
    reason: str
    utterance: str = ""
    place: int | None = None


@dataclass(frozen=True, slots=True)
class Point:
    """A moment to decide at. Events that fall on one are all its `reasons`."""

    time_s: float
    decision: Decision
    reasons: tuple[str, ...]
    utterance: str = ""
    place: int | None = None


@dataclass(frozen=True, slots=True)
class SampledPoints:
    """The points of a recording, by time, and how they came about.

    `eligible_count` moments are far enough from every interrupt. `short_by` silent points were not
    to be had: the gap is never relaxed. `least_gap_s` is the smallest distance between a silent
    point and an interrupt, None without silent points.
    """

    points: tuple[Point, ...]
    eligible_count: int
    stratum_sizes: tuple[int, ...]
    short_by: int
    merged_events: int
    least_gap_s: float | None

    def times_s(self, decision: Decision) -> list[float]:
        return [point.time_s for point in self.points if point.decision is decision]


def sample_points(
    uid: str,
    duration_s: float,
    events: Sequence[PointEvent],
    *,
    seed: int,
    gap_s: float = GAP_S,
    stride_s: float = STRIDE_S,
) -> SampledPoints:
    """A point for every event and the opening, and as many silent ones, spread over the recording.

    An event goes to the first moment of the grid that is not before it, for what it shows lies in
    the past; the opening is an event at 0, unless `events` has one. Silent points are drawn one
    from each of equal runs of the moments that are `gap_s` or more away from every interrupt.
    Raises ValueError for a time that no recording has.
    """
    stride, gap = round(1000 * stride_s), round(1000 * gap_s)
    last = round(1000 * duration_s) // stride
    if duration_s < 0 or stride <= 0 or gap < 0:
        raise ValueError(
            f"duration_s, stride_s, gap_s are {duration_s}, {stride_s}, {gap_s}; expected"
            " 0 or more, more than 0, 0 or more"
        )
    events = sorted(_with_opening(events), key=lambda event: event.time_s)
    on_grid: dict[int, list[PointEvent]] = {}
    for event in events:
        if event.time_s < 0:
            raise ValueError(f"time_s of an event is {event.time_s}; expected 0 or more")
        place = min(-(-round(1000 * event.time_s) // stride), last)
        on_grid.setdefault(place, []).append(event)
    distances = _distances(last, sorted(on_grid)) * stride
    eligible = np.flatnonzero(distances >= max(gap, 1))
    sizes = _run_sizes(len(eligible), len(on_grid))
    silent = [int(eligible[place]) for place in stratified(len(eligible), len(on_grid), seed, uid)]
    points = {place: _silent_at(stride * place) for place in silent}
    points |= {place: _spoken_at(stride * place, merged) for place, merged in on_grid.items()}
    return SampledPoints(
        tuple(points[place] for place in sorted(points)),
        len(eligible),
        sizes,
        len(on_grid) - len(silent),
        len(events) - len(on_grid),
        int(distances[silent].min()) / 1000 if silent else None,
    )


def every_point(
    duration_s: float, events: Sequence[PointEvent], *, stride_s: float = STRIDE_S
) -> tuple[Point, ...]:
    """All moments of the grid, for assistants that answer as the recording goes on."""
    sampled = sample_points("", duration_s, events, seed=0, stride_s=stride_s).points
    spoken = {point.time_s: point for point in sampled if point.decision is Decision.INTERRUPT}
    moments = grid(duration_s, stride_s)
    return tuple(spoken.get(moment / 1000) or _silent_at(moment) for moment in moments)


def grid(duration_s: float, stride_s: float = STRIDE_S) -> list[int]:
    """All moments of the grid in milliseconds.

    >>> grid(1.2)
    [0, 500, 1000]
    """
    stride = round(1000 * stride_s)
    return [stride * place for place in range(round(1000 * duration_s) // stride + 1)]


def released_points(
    intervals: Sequence[tuple[float, float]],
    words: Mapping[float, str],
    places: Mapping[float, int],
) -> tuple[Point, ...]:
    """The points of the source itself: an interval's end, for its frames are all seen there.

    `words` are said from the start of an interval, at which a step of the clean plan begins.
    """
    points = []
    for number, (start_s, end_s) in enumerate(intervals):
        is_spoken = start_s in words
        reason = OPENING if number == 0 else RELEASED if is_spoken else RELEASED_SILENT
        decision = Decision.INTERRUPT if is_spoken else Decision.SILENT
        points.append(
            Point(end_s, decision, (reason,), words.get(start_s, ""), places.get(start_s))
        )
    return tuple(points)


def _with_opening(events: Sequence[PointEvent]) -> list[PointEvent]:
    has_opening = any(event.reason == OPENING for event in events)
    return [*events] if has_opening else [PointEvent(0.0, OPENING), *events]


def _distances(last: int, spoken: Sequence[int]) -> npt.NDArray[np.int64]:
    """From each place of the grid to the nearest interrupt, of which there is one at least."""
    places, others = np.arange(last + 1), np.array(spoken)
    after = np.searchsorted(others, places)
    either_side = others[np.maximum(after - 1, 0)], others[np.minimum(after, len(others) - 1)]
    nearest: npt.NDArray[np.int64] = np.abs(np.array(either_side) - places).min(axis=0)
    return nearest


def stratified(count: int, wanted: int, seed: int, uid: str) -> list[int]:
    """The places of `wanted` of `count` things, one drawn from each of equal runs of them."""
    places, first = [], 0
    for number, size in enumerate(_run_sizes(count, wanted)):
        places.append(first + _draw(seed, uid, number) % size)
        first += size
    return places


def _run_sizes(eligible_count: int, wanted: int) -> tuple[int, ...]:
    """As equal as possible, the longer runs first."""
    runs = min(wanted, eligible_count)
    if not runs:
        return ()
    size, longer = divmod(eligible_count, runs)
    return tuple(size + (number < longer) for number in range(runs))


def _draw(seed: int, uid: str, number: int) -> int:
    digest = hashlib.sha256(f"{seed}|{uid}|{number}".encode()).digest()
    return int.from_bytes(digest[:8])


def _silent_at(moment: int) -> Point:
    return Point(moment / 1000, Decision.SILENT, (SAMPLED,))


def _spoken_at(moment: int, events: Sequence[PointEvent]) -> Point:
    reasons = tuple(dict.fromkeys(event.reason for event in events))
    last = events[-1]
    return Point(moment / 1000, Decision.INTERRUPT, reasons, last.utterance, last.place)
