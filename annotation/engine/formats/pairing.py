"""Give every recording with mistakes its reference, and say in one sentence why this one."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Set
from dataclasses import dataclass

from annotation.engine.procedure import Take


@dataclass(frozen=True, slots=True)
class Reference:
    """The take that a trace is read against, and why."""

    take: Take
    reason: str


def order_key(take: Take) -> tuple[int, str]:
    """Sort takes by their departures from the written order, then by uid."""
    return take.order_deviations, take.uid


class RecordedReferences:
    """The mistake-free recordings of a data set, to choose references from.

    The recording with the fewest order deviations wins (ties: the smallest uid). A recording that
    lacks a step which the trace leaves out cannot show that omission and is passed over.
    """

    def __init__(self, takes: Iterable[Take]) -> None:
        self._takes_of: dict[str, list[Take]] = defaultdict(list)
        for take in sorted(takes, key=order_key):
            self._takes_of[take.scenario].append(take)

    def has_recording(self, scenario: str) -> bool:
        return bool(self._takes_of.get(scenario))

    def find(self, scenario: str, left_out_step_ids: Set[str]) -> Reference | None:
        """The reference of a recording that leaves out these steps, if there is one."""
        candidates = self._takes_of.get(scenario, [])
        for take in candidates:
            if not left_out_step_ids <= {step.step_id for step in take.steps}:
                continue
            fewest = f"This recording has the fewest order deviations ({take.order_deviations}) of"
            if len(candidates) == 1:
                reason = f"The only mistake-free recording of {scenario}."
            elif take is candidates[0]:
                reason = f"{fewest} the {len(candidates)} mistake-free recordings of {scenario}."
            else:
                reason = (
                    f"{fewest} the mistake-free recordings of {scenario} that have every step "
                    "which this trace leaves out."
                )
            return Reference(take, reason)
        return None


class ReferenceChooser:
    """Choose recorded references and, where there is none, the written procedure of a scenario."""

    def __init__(self, takes: Iterable[Take], write_procedure: Callable[[str], Take]) -> None:
        self._recorded = RecordedReferences(takes)
        self._write_procedure = write_procedure
        self._written: dict[str, Take] = {}

    def written_takes(self) -> tuple[Take, ...]:
        """The written procedures that some trace needed, by scenario."""
        return tuple(self._written[scenario] for scenario in sorted(self._written))

    def choose(self, scenario: str, left_out_step_ids: Set[str]) -> Reference:
        """The reference of a recording of `scenario` that leaves out the given steps."""
        found = self._recorded.find(scenario, left_out_step_ids)
        if found:
            return found
        if scenario not in self._written:
            self._written[scenario] = self._write_procedure(scenario)
        if self._recorded.has_recording(scenario):
            reason = (
                f"No mistake-free recording of {scenario} has every step that this one leaves "
                "out: this is the written procedure."
            )
        else:
            reason = f"{scenario} has no mistake-free recording: this is the written procedure."
        return Reference(take=self._written[scenario], reason=reason)
