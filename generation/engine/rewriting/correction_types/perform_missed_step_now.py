"""Do the step that was left out as soon as it is missed."""

from typing import ClassVar

from generation.engine.planner.plan import PlannedCorrection
from generation.engine.planner.taxonomy import CorrectionType
from generation.engine.rewriting.draft import Draft
from generation.engine.rewriting.repairs import original

_WAYS = (
    "Go back and {step}",
    "Make up for the missed step: {step}",
    "Stop and catch up on the step that was left out: {step}",
)


class PerformMissedStepNowWriter:
    """Names the step that was left out."""

    correction_type: ClassVar[CorrectionType] = CorrectionType.PERFORM_MISSED_STEP_NOW

    def write(self, draft: Draft, correction: PlannedCorrection) -> str:
        index = correction.redo_step_index
        assert index is not None
        return draft.pick(_WAYS).format(step=original(draft, index))


WRITER = PerformMissedStepNowWriter()
