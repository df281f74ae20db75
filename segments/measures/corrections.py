"""How far a correction moved edges, and how long work on segments takes."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from segments.measures.figures import (
    ERROR_DECIMALS,
    SLACK,
    Options,
    Summary,
    quantile_summary,
    ratio_summary,
)
from segments.measures.spans import Floats

# Changes to a segment other than to its edges, in the words of `Difference`.
CHANGES = ("inserted", "deleted", "step", "label", "text")


@dataclass(frozen=True, slots=True)
class Corrected:
    """One recording before and after: [start, end] of the N segments on both sides, (N, 2) s.

    `changed` counts segments by kind of change, `segments` those on either side. Raises ValueError
    where the shapes differ.
    """

    before: Floats
    after: Floats
    changed: dict[str, int]
    segments: int

    def __post_init__(self) -> None:
        if self.before.shape != self.after.shape or self.before.ndim != 2:
            shapes = f"{self.before.shape} and {self.after.shape}"
            raise ValueError(f"times are {shapes}; expected (N, 2) of both")

    @property
    def sizes_s(self) -> Floats:
        """How far each edge was moved, (2N,) s; 0 for edges that were not."""
        sizes: Floats = np.abs(self.after - self.before).ravel()
        return sizes.round(ERROR_DECIMALS)


def correction_figures(recordings: Sequence[Corrected], options: Options) -> dict[str, Summary]:
    """Sizes over all edges, over those that were moved, and shares of what was changed."""
    sizes = [item.sizes_s for item in recordings]
    moved = [of_one[of_one > SLACK] for of_one in sizes]
    untouched = ((len(a) - len(b), len(a)) for a, b in zip(sizes, moved, strict=True))
    edges = sum(map(len, sizes))
    figures = {"untouched_share": ratio_summary(untouched, options, n=edges)}
    for name, values, share in (
        ("median_s", sizes, 0.5), ("p90_s", sizes, 0.9), ("median_of_moved_s", moved, 0.5),
    ):  # fmt: skip
        figures[name] = quantile_summary(values, share, options)
    for change in CHANGES:
        pairs = [(item.changed.get(change, 0), item.segments) for item in recordings]
        n = sum(changed for changed, _ in pairs)
        figures[f"{change}_share"] = ratio_summary(pairs, options, n=n)
    return figures


@dataclass(frozen=True, slots=True)
class Work:
    """One person's work on one recording, of which they watched `watched_share`.

    `work_s` is None where fewer than two gestures have times.
    """

    work_s: float | None
    duration_s: float
    segments: int
    gestures: int
    watched_share: float


def effort_figures(works: Sequence[Work], options: Options) -> dict[str, Summary]:
    """Time, gestures and watching over all recordings: sums divided by sums."""
    timed = [0.0 if item.work_s is None else 1.0 for item in works]
    rows: dict[str, list[tuple[float, float]]] = {
        "seconds_per_segment": [
            (item.work_s or 0.0, is_timed * item.segments)
            for item, is_timed in zip(works, timed, strict=True)
        ],
        "seconds_per_recorded_minute": [
            (60 * (item.work_s or 0.0), is_timed * item.duration_s)
            for item, is_timed in zip(works, timed, strict=True)
        ],
        "gestures_per_segment": [(item.gestures, item.segments) for item in works],
        "watched_share": [
            (item.watched_share * item.duration_s, item.duration_s) for item in works
        ],
    }
    return {
        name: ratio_summary(pairs, options, n=sum(whole > 0 for _, whole in pairs))
        for name, pairs in rows.items()
    }
