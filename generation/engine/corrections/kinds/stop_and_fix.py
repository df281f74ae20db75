"""Stop at once and do the wrongly executed step again, correctly."""

from dataclasses import replace
from typing import ClassVar

from generation.engine.corrections.situation import DrawnKind, Noticing, Situation, begin_correction
from generation.engine.planner.plan import PlannedCorrection, PlannedError
from generation.engine.planner.taxonomy import CorrectionType, Phase


class StopAndFix(DrawnKind):
    """The usual repair of a wrong execution, and the only one late and under high load."""

    correction_type: ClassVar[CorrectionType] = CorrectionType.STOP_AND_FIX

    def weight(self, situation: Situation, error: PlannedError) -> float:
        remedies = situation.remedies(error)
        if self.correction_type in remedies and is_late_and_loaded(situation, error):
            return 1.0
        return remedies.get(self.correction_type, 0.0)

    def draft(
        self, situation: Situation, error: PlannedError, noticing: Noticing
    ) -> PlannedCorrection:
        return replace(
            begin_correction(self.correction_type, error, noticing),
            rollback_steps=0,
            redo_step_index=error.step_index,
            intent="Stop here and carry out the step again, this time as intended.",
        )


def is_late_and_loaded(situation: Situation, error: PlannedError) -> bool:
    """Return whether going back is too much to ask: near the end, in a demanding step."""
    threshold = situation.settings.repair.late_load
    return error.phase is Phase.COMPLETION and situation.step_of(error).load > threshold


KIND = StopAndFix()
