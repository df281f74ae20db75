"""The clock of a recording that plays while an assistant watches, and when the assistant is asked.

Wall times come from outside, in seconds, so that a test can let the clock stand still.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np


@dataclass(frozen=True, slots=True)
class LiveClock:
    """Where a recording is: at `position_s`, and on from there since `playing_since` if it plays.

    >>> LiveClock(length_s=9.0).playing(100.0).at(104.0)
    4.0
    """

    length_s: float
    position_s: float = 0.0
    playing_since: float | None = None

    def at(self, wall_s: float) -> float:
        """The position at a wall time, at most the end."""
        if self.playing_since is None:
            return self.position_s
        return min(self.position_s + wall_s - self.playing_since, self.length_s)

    def playing(self, wall_s: float) -> "LiveClock":
        return replace(self, position_s=self.at(wall_s), playing_since=wall_s)

    def paused(self, wall_s: float) -> "LiveClock":
        return replace(self, position_s=self.at(wall_s), playing_since=None)

    def moved(self, position_s: float) -> "LiveClock":
        """Standing at another position."""
        return replace(self, position_s=min(position_s, self.length_s), playing_since=None)


@dataclass(frozen=True, slots=True)
class Due:
    """The moment to decide at now, and how many before it came while nobody could be asked."""

    place: int
    skipped_count: int


def due_moment(moments_s: Sequence[float], next_place: int, position_s: float) -> Due | None:
    """The latest moment from `next_place` on that has come; None where none has.

    Moments that are late by more than their interval are skipped and counted, never queued.

    >>> due_moment((0.0, 0.5, 1.0, 1.5), 1, 1.2)
    Due(place=2, skipped_count=1)
    """
    come = next_place
    while come < len(moments_s) and moments_s[come] <= position_s:
        come += 1
    return None if come == next_place else Due(come - 1, come - 1 - next_place)


@dataclass(frozen=True, slots=True)
class LiveFigures:
    """How fast and how dear an assistant was; None where nothing was decided.

    `latency_s` and `latency_p95_s` are of the decisions. `real_time_factor` is the time of asking
    over that of the recording: above 1 it cannot keep up. `usd_per_minute` is of the recording.
    """

    decided_count: int
    skipped_count: int
    late_count: int
    latency_s: float | None
    latency_p95_s: float | None
    real_time_factor: float | None
    usd_per_minute: float | None


@dataclass(slots=True)
class LiveTally:
    """What a run has decided so far, event by event, of which its figures are."""

    seconds: list[float] = field(default_factory=list)
    usd: float = 0.0
    skipped_count: int = 0
    late_count: int = 0
    last_s: float = 0.0

    def add(self, time_s: float, shown: Mapping[str, Any]) -> None:
        """Count an event at a moment; `shown` is what the page gets of it."""
        self.last_s = max(self.last_s, time_s)
        self.skipped_count += shown.get("count", 0)
        if "seconds" in shown:
            self.seconds.append(shown["seconds"])
            self.usd += shown["usd"]
            self.late_count += shown.get("is_late", False)

    def figures(self, position_s: float) -> LiveFigures:
        """The figures where the recording is at a position."""
        return live_figures(
            self.seconds,
            watched_s=max(position_s, self.last_s),
            usd=self.usd,
            skipped_count=self.skipped_count,
            late_count=self.late_count,
        )


def live_figures(
    seconds: Sequence[float],
    *,
    watched_s: float,
    usd: float | None,
    skipped_count: int,
    late_count: int,
) -> LiveFigures:
    """Figures from the seconds that each decision took, over `watched_s` of the recording."""
    middle, slow = map(float, np.quantile(seconds, (0.5, 0.95))) if seconds else (None, None)
    return LiveFigures(
        len(seconds),
        skipped_count,
        late_count,
        middle,
        slow,
        sum(seconds) / watched_s if watched_s else None,
        usd / watched_s * 60 if watched_s and usd is not None else None,
    )
