"""Do a forgotten preparation just before its result is needed."""

from dataclasses import replace
from typing import ClassVar

from generation.engine.corrections.needs import first_use_of_deleted
from generation.engine.corrections.situation import ForcedKind, Situation, Verdict, begin_correction
from generation.engine.planner.error_kind import facts_of
from generation.engine.planner.plan import PlannedError
from generation.engine.planner.taxonomy import CorrectionType


class PerformMissedStepBeforeFirstUse(ForcedKind):
    """Forced where what was not cut, peeled or ground is needed soon."""

    correction_type: ClassVar[CorrectionType] = CorrectionType.PERFORM_MISSED_STEP_BEFORE_FIRST_USE

    def verdict(self, situation: Situation, error: PlannedError) -> Verdict | None:
        settings = situation.settings.filters
        is_preparation = situation.meaning_of(error).predicate in settings.preparation_predicates
        if not (facts_of(error).leaves_out and is_preparation):
            return None
        need = first_use_of_deleted(situation, error)
        if need is None or need.noticing.latency_steps > settings.preparation_max_latency:
            return None
        correction = replace(
            begin_correction(self.correction_type, error, need.noticing),
            redo_step_index=error.step_index,
            insert_before_step_index=need.step_index,
        )
        return Verdict(correction, f"step {need.step_index + 1} needs what was not prepared")


KIND = PerformMissedStepBeforeFirstUse()
