"""Give every recording with mistakes its reference, and say in one sentence why this one."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass
from operator import attrgetter

from annotation.engine.corpus.procedure import Step, Take


@dataclass(frozen=True, slots=True)
class Reference:
    """The take that a trace is read against, and why."""

    take: Take
    reason: str


class RecordedReferences:
    """The mistake-free recordings of a data set, to choose references from.

    The recording with the fewest order deviations wins (ties: the smallest uid). A recording that
    lacks a step which the trace leaves out cannot show that omission and is passed over.
    """

    def __init__(self, takes: Iterable[Take]) -> None:
        self._takes_of: dict[str, list[Take]] = defaultdict(list)
        for take in sorted(takes, key=attrgetter("order_deviations", "uid")):
            self._takes_of[take.scenario].append(take)

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

    def written_procedure(self, scenario: str, texts: Mapping[str, str]) -> Reference:
        """The procedure as it is written, of texts by step id, where no recording can be it."""
        take = Take(
            uid=f"{scenario}:written",
            name=f"{scenario}, written procedure",
            scenario=scenario,
            steps=tuple(Step(text, step_id) for step_id, text in texts.items()),
        )
        reason = f"{scenario} has no mistake-free recording: this is the written procedure."
        if scenario in self._takes_of:
            reason = (
                f"No mistake-free recording of {scenario} has every step that this one leaves "
                "out: this is the written procedure."
            )
        return Reference(take, reason)
