"""The rows of a rewrite while it is written: a slot per place of the original procedure.

A slot holds the row of that place and the rows inserted before and after it. Slots become a list of
rows only at the end, so that no index shifts meanwhile.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from annotation.engine.taxonomy import Mod
from generation.engine.rewriting.exceptions import PlanConflictError
from generation.engine.rewriting.rewrite import Rewrite, RewriteRow


@dataclass(slots=True)
class Slot:
    """One place: `main` is the row of an original step."""

    main: RewriteRow
    before: list[RewriteRow] = field(default_factory=list)
    after: list[RewriteRow] = field(default_factory=list)


class Timeline:
    """N slots; a slot's number is an original index, whichever step is there after swaps."""

    def __init__(self, texts: Sequence[str]) -> None:
        self.slots = [
            Slot(RewriteRow(Mod.UNCHANGED, text, index)) for index, text in enumerate(texts)
        ]
        self.slot_of_step = list(range(len(texts)))
        self.slots_of_event: dict[str, list[int]] = {}

    def change(self, index: int, row: RewriteRow) -> None:
        """Replace an unchanged original step by a mistake or a deletion."""
        slot = self._unchanged(index, str(row.event_id))
        slot.main = row
        self._note(str(row.event_id), index)

    def put_before(self, index: int, row: RewriteRow) -> None:
        """Put an extra step before the row of the place `index`."""
        self._check(index, str(row.event_id))
        self.slots[index].before.append(row)
        self._note(str(row.event_id), index)

    def swap(self, source: int, target: int, event_id: str, error_type: str) -> None:
        """Swap two unchanged original steps."""
        first, second = self._unchanged(source, event_id), self._unchanged(target, event_id)
        first.main, second.main = (
            replace(second.main, mod=Mod.MOVED_TARGET, event_id=event_id, error_type=error_type),
            replace(first.main, mod=Mod.MOVED_SOURCE, event_id=event_id, error_type=error_type),
        )
        self.slot_of_step[source], self.slot_of_step[target] = target, source
        self._note(event_id, source, target)

    def correct(self, row: RewriteRow, *, detect_index: int, use_index: int | None) -> None:
        """Put a correction after the place at which the person notices, not before the mistake.

        Swapped steps are a mistake as soon as the first of them is done. With `use_index` the
        correction comes before that step even if a swap has moved it forward.
        """
        self._check(detect_index, str(row.correction_id))
        place = max(detect_index, min(self.slots_of_event[str(row.event_id)]))
        if use_index is not None and self.slot_of_step[use_index] <= place:
            self.slots[self.slot_of_step[use_index]].before.append(row)
        else:
            self.slots[place].after.append(row)

    def text_of_step(self, index: int) -> str | None:
        """The text of the original step now; None if it is deleted."""
        return self.slots[self.slot_of_step[index]].main.text

    @property
    def deleted(self) -> frozenset[int]:
        """The original steps that are left out so far."""
        return frozenset(
            int(slot.main.old_index or 0) for slot in self.slots if slot.main.mod is Mod.DELETION
        )

    def rewrite(self) -> Rewrite:
        """All rows in timeline order."""
        return Rewrite(
            tuple(row for slot in self.slots for row in (*slot.before, slot.main, *slot.after))
        )

    def _unchanged(self, index: int, event_id: str) -> Slot:
        self._check(index, event_id)
        slot = self.slots[self.slot_of_step[index]]
        if slot.main.mod is not Mod.UNCHANGED:
            raise PlanConflictError(
                event_id, f"step {index} already belongs to {slot.main.event_id}; expected one each"
            )
        return slot

    def _check(self, index: int, event_id: str) -> None:
        if not 0 <= index < len(self.slots):
            raise PlanConflictError(
                event_id, f"there is no step {index}; expected 0 to {len(self.slots) - 1}"
            )

    def _note(self, event_id: str, *slots: int) -> None:
        if event_id in self.slots_of_event:
            raise PlanConflictError(event_id, "planned more than once")
        self.slots_of_event[event_id] = list(slots)
