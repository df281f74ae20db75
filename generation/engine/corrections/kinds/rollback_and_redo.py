"""Go back to the mistake, or to a step or two before it, and go on from there."""

from dataclasses import replace
from typing import ClassVar

from generation.engine.corrections.kinds.stop_and_fix import is_late_and_loaded
from generation.engine.corrections.situation import DrawnKind, Noticing, Situation, begin_correction
from generation.engine.planner.error_kind import kind_of
from generation.engine.planner.plan import PlannedCorrection, PlannedError
from generation.engine.planner.taxonomy import CorrectionType


class RollbackAndRedo(DrawnKind):
    """The other repair of a wrong execution, and the only one of a substitution."""

    correction_type: ClassVar[CorrectionType] = CorrectionType.ROLLBACK_AND_REDO

    def weight(self, situation: Situation, error: PlannedError) -> float:
        remedies = situation.remedies(error)
        # Near the end, in a demanding step, whoever can stop and fix it does not go back.
        if CorrectionType.STOP_AND_FIX in remedies and is_late_and_loaded(situation, error):
            return 0.0
        return remedies.get(self.correction_type, 0.0)

    def draft(
        self, situation: Situation, error: PlannedError, noticing: Noticing
    ) -> PlannedCorrection:
        rollback = self._draw_rollback(situation, error)
        return replace(
            begin_correction(self.correction_type, error, noticing),
            rollback_steps=rollback,
            redo_step_index=max(0, error.step_index - rollback),
            intent=kind_of(error).redo_intent,
        )

    def _draw_rollback(self, situation: Situation, error: PlannedError) -> int:
        settings, rng = situation.settings.repair, situation.rng
        stop, less = kind_of(error).rollback(settings)
        rollback = min(int(rng.geometric(stop)) - less, settings.max_rollback)
        situation.note("rollback", rollback, error, {"stop": stop})
        return _short_of_deleted(situation, error, rollback)


def _short_of_deleted(situation: Situation, error: PlannedError, rollback: int) -> int:
    """Return the rollback, cut so that it does not reach a step that is not there."""
    if not situation.settings.repair.stops_at_deleted_steps:
        return rollback
    for back in range(1, rollback + 1):
        index = error.step_index - back
        if index < 0 or index in situation.deleted:
            return back - 1
    return rollback


KIND = RollbackAndRedo()
