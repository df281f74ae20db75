"""Take the mistake back, return to an earlier step and go on from there."""

from typing import ClassVar

from generation.engine.planner.plan import PlannedCorrection
from generation.engine.planner.taxonomy import CorrectionType
from generation.engine.rewriting.draft import Draft
from generation.engine.rewriting.repairs import original, repaired


class RollbackAndRedoWriter:
    """Names what is taken back, the step of the rollback and the step that went wrong."""

    correction_type: ClassVar[CorrectionType] = CorrectionType.ROLLBACK_AND_REDO

    def write(self, draft: Draft, correction: PlannedCorrection) -> str:
        redo_index = correction.redo_step_index
        slots = draft.timeline.slots_of_event[correction.target_event_id]
        assert redo_index is not None
        clauses = dict.fromkeys(original(draft, index) for index in (redo_index, *slots))
        return repaired(draft, correction, list(clauses))


WRITER = RollbackAndRedoWriter()
