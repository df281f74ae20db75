"""What checks read: a plan, one rewrite of its procedure, and what can be derived from them.

`JudgedTake` is what stays the same while a rewrite is repaired, `Case` what belongs to one rewrite.
Positions are rows of the rewrite; sources are steps of the original procedure.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate
from typing import TypeVar

from annotation.engine.corpus.alignment import MOVED_MODS
from annotation.engine.taxonomy import Mod
from generation.engine.english.surface import as_words
from generation.engine.english.words import mentions
from generation.engine.judging.contradictions import Contradiction, contradictions_of, excused_keys
from generation.engine.judging.findings import Finding
from generation.engine.planner.error_kind import facts_of
from generation.engine.planner.plan import Plan, PlannedCorrection, PlannedError
from generation.engine.rewriting.rewrite import Rewrite, RewriteRow
from generation.engine.rewriting.scene import Scene
from generation.engine.rewriting.writer import scene_of_plan

Key = TypeVar("Key")
Item = TypeVar("Item")

VERBATIM_MODS = MOVED_MODS | {Mod.UNCHANGED}
WRITTEN_MODS = frozenset({Mod.ERROR, Mod.CASCADE, Mod.INSERTION, Mod.CORRECTION})
ADDED_MODS = frozenset({Mod.INSERTION, Mod.CORRECTION})


@dataclass(frozen=True)
class JudgedTake:
    """One take: its plan with the original steps, and the contradictions of the original itself.

    `is_claimed`: the plan consists of the text's own claims, so the writer chose the mistakes and
    is also responsible for their consequences.
    """

    plan: Plan
    is_claimed: bool = False

    @cached_property
    def texts(self) -> tuple[str, ...]:
        return tuple(step.text for step in self.plan.steps)

    @cached_property
    def scene(self) -> Scene:
        return scene_of_plan(self.plan)

    @cached_property
    def errors(self) -> Mapping[str, PlannedError]:
        return {error.event_id: error for error in self.plan.errors}

    @cached_property
    def corrections(self) -> Mapping[str, PlannedCorrection]:
        return {item.correction_id: item for item in self.plan.corrections or ()}

    @cached_property
    def swaps(self) -> Mapping[int, int]:
        """Which source is in which place after every planned swap."""
        places: dict[int, int] = {}
        for error in self.plan.errors:
            if error.spec.swapped:
                source, target = error.spec.swapped
                places[source], places[target] = target, source
        return places

    @cached_property
    def planned_order(self) -> tuple[int, ...]:
        """The original steps after the planned swaps; claimed swaps are not planned ones."""
        places = range(len(self.texts))
        return tuple(places if self.is_claimed else (self.swaps.get(at, at) for at in places))

    @cached_property
    def planned_texts(self) -> tuple[str | None, ...]:
        """The original after nothing but the planned deletions and swaps; None: left out."""
        errors = () if self.is_claimed else self.plan.errors
        deleted = {error.step_index for error in errors if facts_of(error).leaves_out}
        return tuple(None if step in deleted else self.texts[step] for step in self.planned_order)

    @cached_property
    def excused(self) -> frozenset[tuple[str, str]]:
        return excused_keys(self.texts, self.planned_texts)


@dataclass(frozen=True)
class Case:
    """One rewrite of a take, ready to be checked."""

    take: JudgedTake
    rewrite: Rewrite

    @property
    def rows(self) -> tuple[RewriteRow, ...]:
        return self.rewrite.rows

    @property
    def plan(self) -> Plan:
        return self.take.plan

    @cached_property
    def shown(self) -> tuple[tuple[int, RewriteRow, str], ...]:
        """Position, row and text of each row that has a text."""
        return tuple((p, row, row.text) for p, row in enumerate(self.rows) if row.text is not None)

    def original_of(self, row: RewriteRow) -> str | None:
        """The original text of a row's step, None if it has none."""
        index = row.old_index
        if index is None or index >= len(self.take.texts):
            return None
        return self.take.texts[index]

    def row_of(self, finding: Finding) -> tuple[int, RewriteRow]:
        """Position and row of a finding, which must be about a row."""
        assert finding.position is not None
        return finding.position, self.rows[finding.position]

    @cached_property
    def rows_with_valid_sources(self) -> tuple[RewriteRow, ...]:
        return tuple(
            replace(row, old_index=None) if self.original_of(row) is None else row
            for row in self.rows
        )

    @cached_property
    def positions_by_source(self) -> Mapping[int, tuple[int, ...]]:
        return _grouped(
            (row.old_index, position)
            for position, row in enumerate(self.rows)
            if row.old_index is not None and row.mod not in ADDED_MODS
        )

    @cached_property
    def positions_by_event(self) -> Mapping[str, tuple[int, ...]]:
        """Rows that realise a mistake, by its id, without its cascades and corrections."""
        return _grouped(
            (row.event_id, position)
            for position, row in enumerate(self.rows)
            if row.event_id is not None and row.mod not in {Mod.CASCADE, Mod.CORRECTION}
        )

    def mods_of(self, event_id: str) -> set[Mod]:
        """The marks of the rows that realise a mistake."""
        return {self.rows[p].mod for p in self.positions_by_event.get(event_id, ())}

    @cached_property
    def positions_by_correction(self) -> Mapping[str, tuple[int, ...]]:
        return _grouped(
            (row.correction_id, position)
            for position, row in enumerate(self.rows)
            if row.correction_id is not None and row.mod is Mod.CORRECTION
        )

    @cached_property
    def corrections_in_rows(self) -> tuple[tuple[int, PlannedCorrection], ...]:
        """The first row of each planned correction that has rows, with its plan."""
        return tuple(
            (positions[0], self.take.corrections[name])
            for name, positions in self.positions_by_correction.items()
            if name in self.take.corrections
        )

    @cached_property
    def slots(self) -> tuple[int | None, ...]:
        """The place of each row in the original procedure, None for added rows.

        The two halves of a planned swap are in each other's place.
        """
        return tuple(
            None
            if row.old_index is None or row.mod in ADDED_MODS
            else self.take.swaps.get(row.old_index, row.old_index)
            if row.mod in MOVED_MODS
            else row.old_index
            for row in self.rows
        )

    @cached_property
    def slot_before(self) -> tuple[int, ...]:
        """Per row, the place of the nearest row before it that has one; -1 at the start."""
        return tuple(accumulate(self.slots, _last_slot, initial=-1))[:-1]

    @cached_property
    def slot_after(self) -> tuple[int, ...]:
        """Per row, the place of the nearest row after it that has one; N at the end."""
        backwards = accumulate(self.slots[::-1], _last_slot, initial=len(self.take.texts))
        return tuple(backwards)[-2::-1]

    @cached_property
    def contradictions(self) -> Mapping[str, tuple[Contradiction, ...]]:
        """Contradictions that the writer is responsible for, by code."""
        corrections = {p for p, row in enumerate(self.rows) if row.mod is Mod.CORRECTION}
        items = contradictions_of((row.text for row in self.rows), corrections=corrections)
        # A moved row is verbatim from the plan, so its consequences are not the writer's.
        planned = frozenset() if self.take.is_claimed else MOVED_MODS
        return _grouped(
            (item.code, item)
            for item in items
            if item.key not in self.take.excused
            and self.rows[item.position].mod not in planned
            and not self._is_of_moved_name(item)
        )

    def _is_of_moved_name(self, item: Contradiction) -> bool:
        """Whether both places are the same, of which a verbatim moved step uses the old name.

        A cup was got instead of the mug, but `Set the dripper on the mug` stays word for word.
        """
        row = self.rows[item.position]
        if row.mod is not Mod.CASCADE or item.actual_place is None:
            return False
        place, thing = as_words(item.actual_place), as_words(item.entity)
        moved = (other.text or "" for other in self.rows if other.mod in MOVED_MODS)
        is_moved = any(mentions(text, place) and mentions(text, thing) for text in moved)
        return is_moved and mentions(self.original_of(row) or "", place)

    @cached_property
    def errors_in_rows(self) -> tuple[tuple[int, RewriteRow, PlannedError], ...]:
        """Rows of wrong executions and substitutions with their plan, in timeline order."""
        return tuple(
            (position, row, self.take.errors[row.event_id or ""])
            for position, row in enumerate(self.rows)
            if row.mod is Mod.ERROR and row.event_id in self.take.errors
        )


def _grouped(pairs: Iterable[tuple[Key, Item]]) -> dict[Key, tuple[Item, ...]]:
    groups: dict[Key, list[Item]] = {}
    for key, item in pairs:
        groups.setdefault(key, []).append(item)
    return {key: tuple(items) for key, items in groups.items()}


def _last_slot(last: int, slot: int | None) -> int:
    return last if slot is None else slot
