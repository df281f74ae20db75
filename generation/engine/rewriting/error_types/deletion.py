"""A step is left out (PIE-V, section 3.1)."""

from typing import ClassVar

from annotation.engine.taxonomy import ErrorType, Mod
from generation.engine.planner.plan import PlannedError
from generation.engine.rewriting.draft import Draft, Realised
from generation.engine.rewriting.rewrite import RewriteRow


class DeletionWriter:
    """Takes the step away; nothing is written."""

    error_type: ClassVar[ErrorType] = ErrorType.DELETION

    def write(self, draft: Draft, error: PlannedError) -> Realised:
        row = RewriteRow(
            mod=Mod.DELETION,
            text=None,
            old_index=error.step_index,
            error_type=self.error_type.name,
            event_id=error.event_id,
        )
        draft.timeline.change(error.step_index, row)
        return Realised(error.event_id)


WRITER = DeletionWriter()
