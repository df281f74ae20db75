"""Take back what the procedure did not ask for."""

from typing import ClassVar

from generation.engine.english.surface import upper_first
from generation.engine.planner.plan import PlannedCorrection
from generation.engine.planner.taxonomy import CorrectionType
from generation.engine.rewriting.draft import Draft
from generation.engine.rewriting.repairs import undoing


class UndoExtraStepWriter:
    """Names the thing that the extra step touched, and how it is put right."""

    correction_type: ClassVar[CorrectionType] = CorrectionType.UNDO_EXTRA_STEP

    def write(self, draft: Draft, correction: PlannedCorrection) -> str:
        undo = undoing(draft.realised[correction.target_event_id], draft.scene.domain)
        return upper_first(undo)


WRITER = UndoExtraStepWriter()
