"""Go back to the mistake, or to a step or two before it, and go on from there."""

from dataclasses import replace
from typing import ClassVar

from annotation.engine.taxonomy import ErrorType
from generation.engine.corrections.kinds.stop_and_fix import is_late_and_loaded
from generation.engine.corrections.situation import DrawnKind, Noticing, Situation, begin_correction
from generation.engine.planner.plan import PlannedCorrection, PlannedError
from generation.engine.planner.taxonomy import CorrectionType

INTENTS = {
    ErrorType.WRONG_EXECUTION: "Go back and carry out the step as intended.",
    ErrorType.SUBSTITUTION: "Undo the step done by mistake and do the intended one instead.",
}


class RollbackAndRedo(DrawnKind):
    """The other repair of a wrong execution, and the only one of a substitution."""

    correction_type: ClassVar[CorrectionType] = CorrectionType.ROLLBACK_AND_REDO

    def weight(self, situation: Situation, error: PlannedError) -> float:
        if error.error_type is ErrorType.SUBSTITUTION:
            return 1.0
        if error.error_type is not ErrorType.WRONG_EXECUTION:
            return 0.0
        if is_late_and_loaded(situation, error):
            return 0.0
        return situation.settings.repair.wrong_execution_weights[self.correction_type]

    def draft(
        self, situation: Situation, error: PlannedError, noticing: Noticing
    ) -> PlannedCorrection:
        rollback = self._draw_rollback(situation, error)
        return replace(
            begin_correction(self.correction_type, error, noticing),
            rollback_steps=rollback,
            redo_step_index=max(0, error.step_index - rollback),
            intent=INTENTS[error.error_type],
        )

    def _draw_rollback(self, situation: Situation, error: PlannedError) -> int:
        settings, rng = situation.settings.repair, situation.rng
        if error.error_type is ErrorType.SUBSTITUTION:
            stop, less = settings.substitution_rollback_stop, settings.substitution_rollback_less
        else:
            stop, less = settings.wrong_execution_rollback_stop, 1
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
