"""Figures of a whole run on which a take's plan depends under the published profile.

That profile normalises risk over the takes of a run and learns its deletion guard from them. The
figures are computed once, passed to every take and stored with the run, so that one take can be
planned again alone. The `piev` profile needs none.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from annotation.engine.stored import from_stored
from generation.engine.planner.features import Features, measure
from generation.engine.planner.procedure_to_plan import Procedure
from generation.engine.planner.profile import Profile
from generation.engine.planner.reuse import next_use

Range = tuple[float, float]


@dataclass(frozen=True, slots=True)
class RunStatistics:
    """(Smallest, largest) value over the takes of a run, and reuse counts by predicate.

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
        return from_stored(cls, data)


def run_statistics_of(procedures: Iterable[Procedure], *, profile: Profile) -> RunStatistics:
    """The statistics of a run over these takes; takes without steps do not count.

    Raises ValueError when there is no step at all.
    """
    measured: list[Features] = []
    reuse: dict[str, list[int]] = {}
    for procedure in procedures:
        if not procedure.steps:
            continue
        features = measure(procedure, profile)
        measured.append(features)
        for index, meaning in enumerate(features.meanings):
            counts = reuse.setdefault(meaning.predicate, [0, 0])
            use = next_use(features.meanings, index, profile.deletion.reuse_window)
            counts[0] += use is not None
            counts[1] += 1
    if not measured:
        raise ValueError("no step in any take of the run, so nothing to normalise over")
    return RunStatistics(
        complexity_range=_range([features.total_complexity for features in measured]),
        density_range=_range([features.density_steps_per_min for features in measured]),
        duration_range_s=_range([features.total_duration_s for features in measured]),
        reuse_by_predicate={name: (again, steps) for name, (again, steps) in reuse.items()},
    )


def _range(values: list[float]) -> Range:
    return min(values), max(values)
