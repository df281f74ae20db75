"""What the correction simulator and its kinds see of a plan."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import ClassVar

import numpy as np

from annotation.engine.modules import offered
from generation.engine.planner.correction_facts import CORRECTION_KINDS, CorrectionFacts
from generation.engine.planner.correction_settings import CorrectionSettings
from generation.engine.planner.decisions import Decision, DecisionTrace
from generation.engine.planner.error_kind import facts_of, kind_of
from generation.engine.planner.meaning import Meaning
from generation.engine.planner.plan import Plan, PlannedCorrection, PlannedError, PlannedStep
from generation.engine.planner.profile import Profile
from generation.engine.planner.taxonomy import CorrectionType
from generation.engine.stages import Stage


@dataclass
class CorrectionSituation:
    """One plan in the middle of being corrected; `meanings` has one per step."""

    plan: Plan
    meanings: Sequence[Meaning]
    profile: Profile
    rng: np.random.Generator
    trace: DecisionTrace | None = None

    @cached_property
    def deleted(self) -> frozenset[int]:
        """The steps that errors of the plan leave out."""
        errors = (error for error in self.plan.errors if facts_of(error).leaves_out)
        return frozenset(error.step_index for error in errors)

    @property
    def settings(self) -> CorrectionSettings:
        return self.profile.corrections

    def step_of(self, error: PlannedError) -> PlannedStep:
        return self.plan.steps[error.step_index]

    def meaning_of(self, error: PlannedError) -> Meaning:
        return self.meanings[error.step_index]

    def remedies(self, error: PlannedError) -> Mapping[CorrectionType, float]:
        """What is done about an error of its type, and how likely each is."""
        return kind_of(error).remedies(self.settings.repair)

    def is_deleted_by_another(self, index: int, error: PlannedError) -> bool:
        """Whether another error of the plan deletes step `index`."""
        return index in self.deleted and index != error.step_index

    def same_block(self, first: int, second: int) -> bool:
        """Whether both steps lie in the same block; steps without one share none."""
        if first == second:
            return True
        one, other = self.plan.steps[first], self.plan.steps[second]
        return one.block_id is not None and one.block_id == other.block_id

    def note(
        self,
        what: str,
        outcome: object,
        error: PlannedError,
        options: Mapping[str, float] | None = None,
    ) -> None:
        """Record a decision about an error, if anyone wants to know."""
        if self.trace is not None:
            at, event_id = error.step_index, error.event_id
            self.trace.add(Decision(Stage.CORRECT, what, str(outcome), at, event_id, options or {}))


@dataclass(frozen=True, slots=True)
class Noticing:
    """When an error is noticed: after which step, and how many steps that is after the error."""

    step_index: int
    latency_steps: int


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a kind decides without a draw: this correction for certain, or none, and why."""

    correction: PlannedCorrection | None
    reason: str


class CorrectionKind:
    """One kind of correction: a module of `correction_kinds` offers one as `KIND`.

    It also has a `write`, as `generation/engine/rewriting/draft.py` says.
    """

    facts: ClassVar[CorrectionFacts]
    # What the plan says that the correction is for.
    intent: ClassVar[str | None] = None

    def verdict(self, situation: CorrectionSituation, error: PlannedError) -> Verdict | None:
        """What happens for certain, None where it is left to chance."""
        return None

    def weight(self, situation: CorrectionSituation, error: PlannedError) -> float:
        """How likely this correction is, beside the other kinds; 0 where it does not fit."""
        return situation.remedies(error).get(self.facts.correction_type, 0.0)

    def draft(
        self, situation: CorrectionSituation, error: PlannedError, noticing: Noticing
    ) -> PlannedCorrection:
        """The correction, still without an id; where nothing else is said, the step is redone."""
        return replace(
            self.begun(error, noticing), rollback_steps=0, redo_step_index=error.step_index
        )

    def begun(self, error: PlannedError, noticing: Noticing) -> PlannedCorrection:
        """What a correction of any kind says of its error; the kind adds what it does."""
        return PlannedCorrection(
            correction_id="",
            target_event_id=error.event_id,
            target_type=error.error_type,
            detect_at_step_index=noticing.step_index,
            latency_steps=noticing.latency_steps,
            correction_type=self.facts.correction_type,
            intent=self.intent,
        )


@cache
def correction_kinds() -> dict[CorrectionType, CorrectionKind]:
    """Every kind of correction, in the order of the taxonomy."""
    found = {
        kind.facts.correction_type: kind for kind in offered(CORRECTION_KINDS, "KIND").values()
    }
    return {name: found[name] for name in CorrectionType.registered() if name in found}
