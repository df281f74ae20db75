"""The distributions of one plan, or of the plans of many seeds over the same takes.

`PlanTally` counts run by run and keeps no plan, so its memory does not grow with the number of
runs. The keys of its result are those of the published reference distributions; shares of something
that never occurred are empty, and a rate whose denominator is 0 is None.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from annotation.engine.taxonomy import ErrorType
from generation.engine.planner.error_kind import error_kinds, type_names
from generation.engine.planner.plan import Plan
from generation.engine.planner.statistics.correction_distributions import (
    CorrectionTally,
    by_error_type,
)
from generation.engine.planner.statistics.shares import ratio, shares, sorted_shares, summary
from generation.engine.planner.taxonomy import PHASES, Phase, Severity

DECILES = 10


class PlanTally:
    """Counts plans: call `add_run` with the plans of each seed, then `to_dict`."""

    def __init__(self) -> None:
        self.takes_per_run = 0
        self.steps_per_run = 0
        self.mistakes: Counter[int] = Counter()
        self.errors_per_take: Counter[int] = Counter()
        self.by_phase_and_type: Counter[tuple[Phase, ErrorType]] = Counter()
        self.steps_by_phase: Counter[Phase] = Counter()
        self.affected_steps = 0
        self.severities: dict[ErrorType, Counter[Severity]] = defaultdict(Counter)
        self.essential: Counter[ErrorType] = Counter()
        self.deciles: Counter[int] = Counter()
        self.names = type_names()
        kinds = error_kinds()
        self.by_spec: dict[ErrorType, dict[str, Counter[Any]]] = {
            name: {figure: Counter() for figure in kinds[name].figures}
            for name in self.names
            if kinds[name].figures
        }
        self.passed_over: Counter[ErrorType] = Counter()
        self.corrections = CorrectionTally()

    def add_run(self, plans: Iterable[Plan]) -> None:
        takes = steps = mistakes = 0
        self.corrections.start_run()
        for plan in plans:
            takes += 1
            steps += len(plan.steps)
            mistakes += len(plan.errors)
            self.errors_per_take[len(plan.errors)] += 1
            self.steps_by_phase.update([step.phase for step in plan.steps])
            affected: set[int] = set()
            for error in plan.errors:
                kind = error.error_type
                affected.update(error.spec.swapped or (error.step_index,))
                self.by_phase_and_type[error.phase, kind] += 1
                self.severities[kind][error.severity] += 1
                self.essential[kind] += error.is_essential
                self.deciles[min(DECILES - 1, DECILES * error.step_index // len(plan.steps))] += 1
                for figure, value in error_kinds()[kind].figure_values(error.spec):
                    self.by_spec[kind][figure][value] += 1
            self.affected_steps += len(affected)
            self.passed_over.update(item.error_type for item in plan.passed_over)
            self.corrections.add_plan(plan)
        self.corrections.end_run()
        self.mistakes[mistakes] += 1
        self.takes_per_run, self.steps_per_run = takes, steps

    def to_dict(self) -> dict[str, Any]:
        by_type = by_error_type(self.by_phase_and_type)
        takes, steps = self.errors_per_take.total(), self.steps_by_phase.total()
        events, corrections = by_type.total(), self.corrections.by_type.total()
        whole = sum(self.severities.values(), Counter[Severity]())
        return {
            "runs": self.mistakes.total(),
            "takes_per_run": self.takes_per_run,
            "steps_per_run": self.steps_per_run,
            "mistakes_per_run": summary(self.mistakes),
            "corrections_per_run": summary(self.corrections.per_run),
            "k_per_take": {
                "mean": ratio(events, takes),
                "share_by_k": sorted_shares(self.errors_per_take),
            },
            **self._types_and_phases(by_type),
            "mistake_rate_pct": {
                "events_over_steps": ratio(100 * events, steps),
                "affected_steps_over_steps": ratio(100 * self.affected_steps, steps),
                "events_plus_corrections_over_steps": ratio(100 * (events + corrections), steps),
            },
            "severity_share": sorted_shares(whole),
            "severity_given_type": {
                self.names[kind]: {
                    str(severity): ratio(self.severities[kind][severity], by_type[kind])
                    for severity in (Severity.LOW, Severity.MEDIUM, Severity.HIGH)
                }
                for kind in self.names
                if by_type[kind]
            },
            "essential_share_given_type": {
                self.names[kind]: ratio(self.essential[kind], by_type[kind])
                for kind in self.names
                if by_type[kind]
            },
            "position_decile_share": sorted_shares(self.deciles),
            **self._passed_over(),
            **{
                kind.name: {name: error_kinds()[kind].figures[name](it) for name, it in by.items()}
                for kind, by in self.by_spec.items()
            },
            "corrections": self.corrections.to_dict(self.by_phase_and_type),
        }

    def _passed_over(self) -> dict[str, Any]:
        """How often a type was drawn per run and not taken, as it would not have made sense."""
        runs = self.mistakes.total()
        by_type = {self.names[kind]: ratio(n, runs) for kind, n in self.passed_over.items()}
        return {"passed_over_per_run": by_type} if by_type else {}

    def _types_and_phases(self, by_type: Counter[ErrorType]) -> dict[str, Any]:
        in_phase = {
            phase: Counter({kind: self.by_phase_and_type[phase, kind] for kind in self.names})
            for phase in PHASES
        }
        mistakes = Counter({phase: in_phase[phase].total() for phase in PHASES})
        return {
            "type_share": self._type_shares(by_type),
            "type_share_given_phase": {
                str(phase): self._type_shares(in_phase[phase]) for phase in PHASES
            },
            "mistakes_share_by_phase": shares(mistakes),
            "steps_share_by_phase": shares(
                Counter({phase: self.steps_by_phase[phase] for phase in PHASES})
            ),
            "mistakes_per_100_steps_by_phase": {
                str(phase): ratio(100 * mistakes[phase], self.steps_by_phase[phase])
                for phase in PHASES
            },
        }

    def _type_shares(self, counts: Mapping[ErrorType, int]) -> dict[str, float]:
        total = sum(counts.values())
        return {name: counts[kind] / total for kind, name in self.names.items()} if total else {}


def tally_of(runs: Iterable[Iterable[Plan]]) -> dict[str, Any]:
    tally = PlanTally()
    for plans in runs:
        tally.add_run(plans)
    return tally.to_dict()
