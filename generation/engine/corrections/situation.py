"""The state of a plan while its corrections are simulated, and what a correction kind is."""

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
    """One plan while its corrections are simulated; `meanings` has one per step."""

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
        return kind_of(error).remedies(self.settings.repair)

    def is_deleted_by_another(self, index: int, error: PlannedError) -> bool:
        return index in self.deleted and index != error.step_index

    def same_block(self, first: int, second: int) -> bool:
        """Whether both steps are in the same block; two steps without one are not."""
        if first == second:
            return True
        block_id = self.plan.steps[first].block_id
        return block_id is not None and block_id == self.plan.steps[second].block_id

    def note(
        self,
        what: str,
        outcome: object,
        error: PlannedError,
        options: Mapping[str, float] | None = None,
    ) -> None:
        """Record a decision about an error, if decisions are traced."""
        if self.trace is not None:
            at, event_id = error.step_index, error.event_id
            self.trace.add(Decision(Stage.CORRECT, what, str(outcome), at, event_id, options or {}))


@dataclass(frozen=True, slots=True)
class Noticing:
    """After which step an error is noticed, and how many steps after the error that is."""

    step_index: int
    latency_steps: int


@dataclass(frozen=True, slots=True)
class Verdict:
    """The decision of a kind without a draw: a correction or None, and the reason."""

    correction: PlannedCorrection | None
    reason: str


class CorrectionKind:
    """One kind of correction: the `KIND` of a module of `correction_kinds`.

    It also has a `write`, as `generation/engine/rewriting/draft.py` says.
    """

    facts: ClassVar[CorrectionFacts]
    # The purpose of the correction, as the plan states it.
    intent: ClassVar[str | None] = None

    def verdict(self, situation: CorrectionSituation, error: PlannedError) -> Verdict | None:
        """The decision about this error, None if it is left to a draw."""
        return None

    def weight(self, situation: CorrectionSituation, error: PlannedError) -> float:
        """The weight of this kind beside the others; 0 where it does not fit."""
        return situation.remedies(error).get(self.facts.correction_type, 0.0)

    def draft(
        self, situation: CorrectionSituation, error: PlannedError, noticing: Noticing
    ) -> PlannedCorrection:
        """The correction, still without an id; by default the step is done again."""
        return replace(
            self.correction_of(error, noticing), rollback_steps=0, redo_step_index=error.step_index
        )

    def correction_of(self, error: PlannedError, noticing: Noticing) -> PlannedCorrection:
        """The fields that corrections of every kind have; the kind adds what it does."""
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
    kinds = {
        kind.facts.correction_type: kind for kind in offered(CORRECTION_KINDS, "KIND").values()
    }
    return {name: kinds[name] for name in CorrectionType.registered() if name in kinds}
