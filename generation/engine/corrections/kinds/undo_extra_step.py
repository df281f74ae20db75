"""Undo what an inserted step did."""

from dataclasses import replace
from typing import ClassVar

from generation.engine.corrections.situation import DrawnKind, Noticing, Situation, begin_correction
from generation.engine.planner.plan import PlannedCorrection, PlannedError
from generation.engine.planner.taxonomy import CorrectionType


class UndoExtraStep(DrawnKind):
    """The repair of an insertion."""

    correction_type: ClassVar[CorrectionType] = CorrectionType.UNDO_EXTRA_STEP

    def weight(self, situation: Situation, error: PlannedError) -> float:
        return situation.remedies(error).get(self.correction_type, 0.0)

    def draft(
        self, situation: Situation, error: PlannedError, noticing: Noticing
    ) -> PlannedCorrection:
        stays = situation.settings.repair.undo_without_rollback_probability
        return replace(
            begin_correction(self.correction_type, error, noticing),
            rollback_steps=0 if situation.rng.random() < stays else 1,
            intent="Take back what the extra step did, then go on.",
        )


KIND = UndoExtraStep()
