"""Do a forgotten preparation just before its result is needed."""

from typing import ClassVar

from generation.engine.english.instructions import gerund_of
from generation.engine.english.surface import upper_first
from generation.engine.planner.plan import PlannedCorrection
from generation.engine.planner.taxonomy import CorrectionType
from generation.engine.rewriting.draft import Draft
from generation.engine.rewriting.repairs import original


class PerformMissedStepBeforeFirstUseWriter:
    """Names the preparation and the step that needs it."""

    correction_type: ClassVar[CorrectionType] = CorrectionType.PERFORM_MISSED_STEP_BEFORE_FIRST_USE

    def write(self, draft: Draft, correction: PlannedCorrection) -> str:
        index, use = correction.redo_step_index, correction.insert_before_step_index
        assert index is not None
        missed = original(draft, index)
        use_text = None if use is None else draft.timeline.text_of_step(use)
        if use_text is None or original(draft, int(use or 0)) == missed:
            return f"Stop and {missed} first"
        return upper_first(f"{missed} first, before {gerund_of(use_text)}")


WRITER = PerformMissedStepBeforeFirstUseWriter()
