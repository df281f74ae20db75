"""The record of how a plan came about: every weight, probability and draw, on demand.

A caller that wants to see the decisions passes a `DecisionTrace` to the planner; without one
nothing is recorded, at no cost. Planning again with the same seed gives the same decisions, so they
need not be stored with the plan.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field

from generation.engine.stages import Stage


@dataclass(frozen=True, slots=True)
class Decision:
    """One choice of the simulation.

    `options` are the weights or probabilities of the options, `outcome` is the result. `step_index`
    is None for choices about the whole take, `event_id` for choices made before the event has an
    id.
    """

    stage: Stage
    what: str
    outcome: str
    step_index: int | None = None
    event_id: str | None = None
    options: Mapping[str, float] = field(default_factory=dict)

    def to_dict(self) -> dict[str, object]:
        return {**asdict(self), "stage": str(self.stage)}


@dataclass(slots=True)
class DecisionTrace:
    """Collects decisions in the order in which they are made."""

    decisions: list[Decision] = field(default_factory=list)

    def add(self, decision: Decision) -> None:
        self.decisions.append(decision)
