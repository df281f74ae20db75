"""Figures of a whole run that the published planner lets a take's plan depend on.

The published profile normalises risk over the takes of a run and learns its deletion guard from
them. Both are made explicit here: the statistics are computed once, passed to every take and stored
with the run, so that a take can be planned again alone. The `piev` profile needs none.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from generation.engine.planner.features import measure
from generation.engine.planner.procedure_to_plan import Procedure
from generation.engine.planner.profile import Profile
from generation.engine.planner.reuse import next_use

Range = tuple[float, float]


@dataclass(frozen=True, slots=True)
class RunStatistics:
    """Smallest and largest value over the takes of a run, and reuse counts by predicate.

    `reuse_by_predicate` maps a predicate to (steps whose object is used again soon, steps).
    """

    complexity_range: Range
    density_range: Range
    duration_range_s: Range
    reuse_by_predicate: Mapping[str, tuple[int, int]] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        return {
            "complexity_range": list(self.complexity_range),
            "density_range": list(self.density_range),
            "duration_range_s": list(self.duration_range_s),
            "reuse_by_predicate": {
                name: list(counts) for name, counts in self.reuse_by_predicate.items()
            },
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "RunStatistics":
        return cls(
            complexity_range=tuple(data["complexity_range"]),
            density_range=tuple(data["density_range"]),
            duration_range_s=tuple(data["duration_range_s"]),
            reuse_by_predicate={
                name: (counts[0], counts[1]) for name, counts in data["reuse_by_predicate"].items()
            },
        )


def run_statistics_of(procedures: Iterable[Procedure], *, profile: Profile) -> RunStatistics:
    """The statistics of a run over these takes; takes without steps do not count.

    Raises ValueError when there is no step at all.
    """
    complexity, density, duration_s = _Extremes(), _Extremes(), _Extremes()
    reuse: dict[str, list[int]] = {}
    for procedure in procedures:
        if not procedure.steps:
            continue
        features = measure(procedure, profile)
        complexity.add(features.total_complexity)
        density.add(features.density_steps_per_min)
        duration_s.add(features.total_duration_s)
        for index, meaning in enumerate(features.meanings):
            counts = reuse.setdefault(meaning.predicate, [0, 0])
            used = next_use(features.meanings, index, profile.deletion.reuse_window)
            counts[0] += used is not None
            counts[1] += 1
    return RunStatistics(
        complexity_range=complexity.range(),
        density_range=density.range(),
        duration_range_s=duration_s.range(),
        reuse_by_predicate={name: (again, steps) for name, (again, steps) in reuse.items()},
    )


class _Extremes:
    """The smallest and the largest of the values added."""

    def __init__(self) -> None:
        self.low: float | None = None
        self.high: float | None = None

    def add(self, value: float) -> None:
        self.low = value if self.low is None else min(self.low, value)
        self.high = value if self.high is None else max(self.high, value)

    def range(self) -> Range:
        if self.low is None or self.high is None:
            raise ValueError("no step in any take of the run, so nothing to normalise over")
        return (self.low, self.high)
