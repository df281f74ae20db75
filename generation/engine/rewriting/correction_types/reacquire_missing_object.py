"""Get the thing that a forgotten step would have brought, just before it is needed."""

from typing import ClassVar

from generation.engine.english.instructions import gerund_of
from generation.engine.planner.plan import PlannedCorrection
from generation.engine.planner.taxonomy import CorrectionType
from generation.engine.rewriting.draft import Draft
from generation.engine.rewriting.repairs import original


class ReacquireMissingObjectWriter:
    """Names the thing, where it comes from, and the step that needs it."""

    correction_type: ClassVar[CorrectionType] = CorrectionType.REACQUIRE_MISSING_OBJECT

    def write(self, draft: Draft, correction: PlannedCorrection) -> str:
        missing, use = correction.missing_from_step_index, correction.insert_before_step_index
        assert missing is not None
        fetched = original(draft, missing)
        use_text = None if use is None else draft.timeline.text_of_step(use)
        if use_text is None:
            return f"Go back and {fetched}"
        return f"Go back and {fetched} before {gerund_of(use_text)}"


WRITER = ReacquireMissingObjectWriter()
