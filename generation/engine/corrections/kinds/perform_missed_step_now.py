"""Do the forgotten step as soon as it is missed."""

from dataclasses import replace
from typing import ClassVar

from generation.engine.corrections.situation import DrawnKind, Noticing, Situation, begin_correction
from generation.engine.planner.plan import PlannedCorrection, PlannedError
from generation.engine.planner.taxonomy import CorrectionType


class PerformMissedStepNow(DrawnKind):
    """The repair of a deletion that nothing forces."""

    correction_type: ClassVar[CorrectionType] = CorrectionType.PERFORM_MISSED_STEP_NOW

    def weight(self, situation: Situation, error: PlannedError) -> float:
        return situation.remedies(error).get(self.correction_type, 0.0)

    def draft(
        self, situation: Situation, error: PlannedError, noticing: Noticing
    ) -> PlannedCorrection:
        return replace(
            begin_correction(self.correction_type, error, noticing),
            rollback_steps=0,
            redo_step_index=error.step_index,
            intent="Do the missed step now, so that the steps after it can be done.",
        )


KIND = PerformMissedStepNow()
