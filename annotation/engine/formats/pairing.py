"""Give every recording with mistakes its reference, and say in one sentence why this one."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence, Set
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
        self._step_ids: dict[str, frozenset[str]] = {}

    def has_recording(self, scenario: str) -> bool:
        return bool(self._takes_of.get(scenario))

    def find(self, scenario: str, left_out_step_ids: Set[str]) -> Reference | None:
        """Return the reference of a recording that leaves out these steps, if there is one."""
        candidates = self._takes_of.get(scenario, [])
        for take in candidates:
            if left_out_step_ids <= self._step_ids_of(take):
                return Reference(take=take, reason=_reason_for(take, candidates))
        return None

    def _step_ids_of(self, take: Take) -> frozenset[str]:
        if take.uid not in self._step_ids:
            self._step_ids[take.uid] = frozenset(step.step_id for step in take.steps)
        return self._step_ids[take.uid]


def _reason_for(take: Take, candidates: Sequence[Take]) -> str:
    if len(candidates) == 1:
        return f"The only mistake-free recording of {take.scenario}."
    fewest = f"This recording has the fewest order deviations ({take.order_deviations}) of the"
    if take is candidates[0]:
        return f"{fewest} {len(candidates)} mistake-free recordings of {take.scenario}."
    return (
        f"{fewest} mistake-free recordings of {take.scenario} that have every step which this "
        "trace leaves out."
    )


class ReferenceChooser:
    """Choose recorded references and, where there is none, the written procedure of a scenario."""

    def __init__(self, takes: Iterable[Take], write_procedure: Callable[[str], Take]) -> None:
        self._recorded = RecordedReferences(takes)
        self._write_procedure = write_procedure
        self._written: dict[str, Take] = {}

    def written_takes(self) -> tuple[Take, ...]:
        """Return the written procedures that some trace needed, by scenario."""
        return tuple(self._written[scenario] for scenario in sorted(self._written))

    def choose(self, scenario: str, left_out_step_ids: Set[str]) -> Reference:
        """Return the reference of a recording of `scenario` that leaves out the given steps."""
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
