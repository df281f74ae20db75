"""Put two swapped steps back into their order."""

from dataclasses import replace
from typing import ClassVar

from generation.engine.corrections.situation import DrawnKind, Noticing, Situation, begin_correction
from generation.engine.planner.plan import PlannedCorrection, PlannedError
from generation.engine.planner.taxonomy import CorrectionType


class RestoreOrder(DrawnKind):
    """The repair of a transposition."""

    correction_type: ClassVar[CorrectionType] = CorrectionType.RESTORE_ORDER

    def weight(self, situation: Situation, error: PlannedError) -> float:
        return situation.remedies(error).get(self.correction_type, 0.0)

    def draft(
        self, situation: Situation, error: PlannedError, noticing: Noticing
    ) -> PlannedCorrection:
        return replace(
            begin_correction(self.correction_type, error, noticing),
            rollback_steps=0,
            restore_order_pair=error.spec.swapped,
            intent="Bring the two swapped steps back into the intended order.",
        )


KIND = RestoreOrder()
