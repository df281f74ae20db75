"""Do two swapped steps again in the order in which they belong."""

from typing import ClassVar

from generation.engine.planner.plan import PlannedCorrection
from generation.engine.planner.taxonomy import CorrectionType
from generation.engine.rewriting.draft import Draft
from generation.engine.rewriting.repairs import original

_WAYS = (
    "Redo both steps in the right order: {first}, then {second}",
    "Put the order right: {first}, then {second}",
    "Start over with the swapped steps: first {first}, then {second}",
)


class RestoreOrderWriter:
    """Names both steps, the earlier one first."""

    correction_type: ClassVar[CorrectionType] = CorrectionType.RESTORE_ORDER

    def write(self, draft: Draft, correction: PlannedCorrection) -> str:
        pair = correction.restore_order_pair
        assert pair is not None
        first, second = (original(draft, index) for index in sorted(pair))
        return draft.pick(_WAYS).format(first=first, second=second)


WRITER = RestoreOrderWriter()
