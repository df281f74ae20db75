"""The distributions of the corrections of plans, counted run by run."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from typing import Any

from annotation.engine.taxonomy import ErrorType
from generation.engine.planner.error_kind import type_names
from generation.engine.planner.plan import Plan
from generation.engine.planner.statistics.shares import ratio, shares, sorted_shares, summary
from generation.engine.planner.taxonomy import PHASES, CorrectionType, Phase


def by_error_type(counts: Mapping[tuple[Phase, ErrorType], int]) -> Counter[ErrorType]:
    totals: Counter[ErrorType] = Counter()
    for (_, error_type), count in counts.items():
        totals[error_type] += count
    return totals


class CorrectionTally:
    """Counts corrections; `PlanTally` drives it."""

    def __init__(self) -> None:
        self.per_run: Counter[int] = Counter()
        self.ignored_per_run: Counter[int] = Counter()
        self.per_take: Counter[int] = Counter()
        self.by_phase_and_type: Counter[tuple[Phase, ErrorType]] = Counter()
        self.by_type: Counter[ErrorType] = Counter()
        self.kinds: dict[ErrorType, Counter[CorrectionType]] = defaultdict(Counter)
        self.latencies: dict[ErrorType, Counter[int]] = defaultdict(Counter)
        self.rollbacks: dict[CorrectionType, Counter[int | None]] = defaultdict(Counter)
        self.names = type_names()
        self._in_run = 0
        self._ignored_in_run: int | None = None

    def start_run(self) -> None:
        self._in_run = 0
        self._ignored_in_run = None

    def end_run(self) -> None:
        self.per_run[self._in_run] += 1
        if self._ignored_in_run is not None:  # older plan files have no such record
            self.ignored_per_run[self._ignored_in_run] += 1

    def add_plan(self, plan: Plan) -> None:
        """Count the corrections of one take, none if they are not simulated yet."""
        phases = {error.event_id: error.phase for error in plan.errors}
        corrections = plan.corrections or ()
        self._in_run += len(corrections)
        if plan.noticed_not_acted is not None:
            self._ignored_in_run = (self._ignored_in_run or 0) + len(plan.noticed_not_acted)
        self.per_take[len(corrections)] += 1
        for correction in corrections:
            target, kind = correction.target_type, correction.correction_type
            self.by_type[target] += 1
            self.by_phase_and_type[phases[correction.target_event_id], target] += 1
            self.kinds[target][kind] += 1
            self.latencies[target][correction.latency_steps] += 1
            self.rollbacks[kind][correction.rollback_steps] += 1

    def to_dict(self, mistakes: Mapping[tuple[Phase, ErrorType], int]) -> dict[str, Any]:
        """`mistakes` counts the errors by phase and type, to divide by."""
        kinds = sum(self.kinds.values(), Counter[CorrectionType]())
        latencies = sum(self.latencies.values(), Counter[int]())
        mistakes_by_type = by_error_type(mistakes)
        return {
            "per_mistake": ratio(self.by_type.total(), mistakes_by_type.total()),
            "per_mistake_by_type": {
                name: ratio(self.by_type[kind], mistakes_by_type[kind])
                for kind, name in self.names.items()
            },
            "per_mistake_by_phase_and_type": {
                str(phase): {
                    name: ratio(self.by_phase_and_type[phase, kind], mistakes.get((phase, kind), 0))
                    for kind, name in self.names.items()
                }
                for phase in PHASES
            },
            "share_by_error_type": shares(
                {self.names[kind]: count for kind, count in self.by_type.items()}
            ),
            "correction_type_share": sorted_shares(kinds),
            "correction_type_given_error_type": {
                name: shares(self.kinds.get(kind, {})) for kind, name in self.names.items()
            },
            "latency_share": sorted_shares(latencies),
            "latency_given_error_type": {
                name: sorted_shares(self.latencies.get(kind, {}))
                for kind, name in self.names.items()
            },
            "rollback_share_given_correction_type": {
                str(kind): shares(
                    dict(sorted(counts.items(), key=lambda item: (item[0] is None, item[0] or 0)))
                )
                for kind, counts in self.rollbacks.items()
            },
            "corrections_per_take_share": sorted_shares(self.per_take),
            "noticed_not_acted_per_run": summary(self.ignored_per_run),
        }
