"""How far edges were moved by a correction, and what work on segments costs."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from annotation.analytics.segments.figures import SLACK
from annotation.analytics.segments.spans import Floats


@dataclass(frozen=True, slots=True)
class Corrections:
    """Sizes of the moves of edges, s: of all edges, those that were not moved with 0."""

    edges: int
    untouched_share: float | None
    median_s: float | None
    p90_s: float | None
    median_of_moved_s: float | None


def corrections(before: Floats, after: Floats) -> Corrections:
    """Of segments that are on both sides: times [start, end] before and after, (N, 2) s each."""
    if before.shape != after.shape or before.ndim != 2:
        raise ValueError(f"times are {before.shape} and {after.shape}; expected (N, 2) of both")
    sizes = np.abs(after - before).ravel()
    if not len(sizes):
        return Corrections(0, None, None, None, None)
    moved = sizes[sizes > SLACK]
    return Corrections(
        edges=len(sizes),
        untouched_share=1 - len(moved) / len(sizes),
        median_s=float(np.median(sizes)),
        p90_s=float(np.quantile(sizes, 0.9)),
        median_of_moved_s=float(np.median(moved)) if len(moved) else None,
    )


@dataclass(frozen=True, slots=True)
class Work:
    """What one person did on one recording; `watched_share` of it, from the viewing."""

    work_s: float
    duration_s: float
    segments: int
    gestures: int
    watched_share: float


@dataclass(frozen=True, slots=True)
class Effort:
    """What all of it cost; None where there is nothing to divide by."""

    seconds_per_segment: float | None
    seconds_per_recorded_minute: float | None
    gestures_per_segment: float | None
    watched_share: float | None


def effort(works: Sequence[Work]) -> Effort:
    """Sums over sums, and the watched share of all recorded time."""
    work_s = sum(item.work_s for item in works)
    duration_s = sum(item.duration_s for item in works)
    segments = sum(item.segments for item in works)
    gestures = sum(item.gestures for item in works)
    watched_s = sum(item.watched_share * item.duration_s for item in works)
    return Effort(
        seconds_per_segment=work_s / segments if segments else None,
        seconds_per_recorded_minute=60 * work_s / duration_s if duration_s else None,
        gestures_per_segment=gestures / segments if segments else None,
        watched_share=watched_s / duration_s if duration_s else None,
    )
