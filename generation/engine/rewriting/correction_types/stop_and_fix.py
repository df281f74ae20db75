"""Stop, take the mistake back and do the step as it should be."""

from typing import ClassVar

from generation.engine.planner.plan import PlannedCorrection
from generation.engine.planner.taxonomy import CorrectionType
from generation.engine.rewriting.draft import Draft
from generation.engine.rewriting.repairs import original, repaired


class StopAndFixWriter:
    """Names what is taken back and the step as the procedure has it."""

    correction_type: ClassVar[CorrectionType] = CorrectionType.STOP_AND_FIX

    def write(self, draft: Draft, correction: PlannedCorrection) -> str:
        index = correction.redo_step_index
        assert index is not None
        return repaired(draft, correction, [original(draft, index)])


WRITER = StopAndFixWriter()
