"""Two steps change places, word for word (PIE-V, section 3.1)."""

from typing import ClassVar

from annotation.engine.taxonomy import ErrorType
from generation.engine.error_types.transposition import TranspositionSpec
from generation.engine.planner.plan import PlannedError
from generation.engine.rewriting.draft import Draft, Realised


class TranspositionWriter:
    """Swaps the two steps of the plan; nothing is reworded."""

    error_type: ClassVar[ErrorType] = ErrorType.TRANSPOSITION

    def write(self, draft: Draft, error: PlannedError) -> Realised:
        assert isinstance(error.spec, TranspositionSpec)
        draft.timeline.swap(
            error.spec.source_index,
            error.spec.target_index,
            error.event_id,
            self.error_type.name,
        )
        return Realised(error.event_id)


WRITER = TranspositionWriter()
