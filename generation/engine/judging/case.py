"""What a check sees: the procedure, its plan, one rewrite, and what was worked out of them.

`TakeInQuestion` holds what stays the same while a rewrite is repaired, `Case` what belongs to one
rewrite. Positions are rows of the rewrite; sources are steps of the original procedure.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeVar

from annotation.engine.alignment import MOVED_MODS
from annotation.engine.taxonomy import Mod
from generation.engine.english.surface import as_words
from generation.engine.english.words import names
from generation.engine.judging.contradictions import Contradiction, contradictions_of, excused_keys
from generation.engine.planner.error_kind import facts_of
from generation.engine.planner.plan import Plan, PlannedCorrection, PlannedError
from generation.engine.planner.procedure_to_plan import Procedure
from generation.engine.rewriting.rewrite import Rewrite, RewriteRow
from generation.engine.rewriting.scene import Scene, scene_of

Key = TypeVar("Key")
Item = TypeVar("Item")

VERBATIM_MODS = MOVED_MODS | {Mod.UNCHANGED}
WRITTEN_MODS = frozenset({Mod.ERROR, Mod.CASCADE, Mod.INSERTION, Mod.CORRECTION})
ADDED_MODS = frozenset({Mod.INSERTION, Mod.CORRECTION})


@dataclass(frozen=True)
class TakeInQuestion:
    """One take: its original steps, its plan, and what the original itself gets wrong.

    `is_claimed` tells that the plan is what the text says of itself: the writer chose the mistakes,
    and answers for what comes of them too.
    """

    procedure: Procedure
    plan: Plan
    is_claimed: bool = False

    @cached_property
    def texts(self) -> tuple[str, ...]:
        return tuple(step.text for step in self.procedure.steps)

    @cached_property
    def scene(self) -> Scene:
        steps = self.procedure.steps
        return scene_of(
            self.procedure.scenario,
            [
                (step.text, step.semrep, None if step.block is None else step.block.name)
                for step in steps
            ],
        )

    @cached_property
    def errors(self) -> Mapping[str, PlannedError]:
        return {error.event_id: error for error in self.plan.errors}

    @cached_property
    def corrections(self) -> Mapping[str, PlannedCorrection]:
        return {item.correction_id: item for item in self.plan.corrections or ()}

    @cached_property
    def swaps(self) -> Mapping[int, int]:
        """Which source stands in whose place when every planned swap is carried out."""
        places: dict[int, int] = {}
        for error in self.plan.errors:
            if error.spec.swapped:
                source, target = error.spec.swapped
                places[source], places[target] = target, source
        return places

    @cached_property
    def planned_texts(self) -> tuple[str | None, ...]:
        """The original with nothing but the planned deletions and swaps carried out."""
        if self.is_claimed:
            return self.texts
        gone = {error.step_index for error in self.plan.errors if facts_of(error).leaves_out}
        order = (self.swaps.get(place, place) for place in range(len(self.texts)))
        return tuple(None if source in gone else self.texts[source] for source in order)

    @cached_property
    def excused(self) -> frozenset[tuple[str, str]]:
        return excused_keys(self.texts, self.planned_texts)


@dataclass(frozen=True)
class Case:
    """One rewrite of a take, ready to be checked."""

    take: TakeInQuestion
    rewrite: Rewrite

    @property
    def rows(self) -> tuple[RewriteRow, ...]:
        return self.rewrite.rows

    @property
    def plan(self) -> Plan:
        return self.take.plan

    def original_of(self, row: RewriteRow) -> str | None:
        """The original text of a row's step, None where it has none."""
        index = row.old_index
        if index is None or index >= len(self.take.texts):
            return None
        return self.take.texts[index]

    @cached_property
    def known_rows(self) -> tuple[RewriteRow, ...]:
        """The rows, with sources that the procedure does not have left out."""
        count = len(self.take.texts)
        return tuple(
            replace(row, old_index=None)
            if row.old_index is not None and row.old_index >= count
            else row
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
        """Rows that realise a mistake, by its id: neither its cascades nor its corrections."""
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
        """The first row of each planned correction that has one, with its plan."""
        return tuple(
            (positions[0], self.take.corrections[name])
            for name, positions in self.positions_by_correction.items()
            if name in self.take.corrections
        )

    @cached_property
    def slots(self) -> tuple[int | None, ...]:
        """The place of the original procedure that each row stands at, None for added rows.

        The two halves of a planned swap stand at each other's place.
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
        return tuple(_last_slots(self.slots))

    @cached_property
    def slot_after(self) -> tuple[int, ...]:
        """Per row, the place of the nearest row after it that has one; N at the end."""
        backwards = _last_slots(self.slots[::-1], start=len(self.take.texts))
        return tuple(backwards)[::-1]

    @cached_property
    def contradictions(self) -> Mapping[str, tuple[Contradiction, ...]]:
        """Contradictions that the writer made, by code."""
        corrections = {p for p, row in enumerate(self.rows) if row.mod is Mod.CORRECTION}
        found = contradictions_of((row.text for row in self.rows), corrections=corrections)
        # A moved row is the plan's, word for word; what comes of it is none of the writer's.
        planned = frozenset() if self.take.is_claimed else MOVED_MODS
        moved = [row.text or "" for row in self.rows if row.mod in MOVED_MODS]
        kept: list[tuple[str, Contradiction]] = []
        for item in found:
            row = self.rows[item.position]
            if item.key in self.take.excused or row.mod in planned:
                continue
            # Two places are one where a moved step calls it as before a mistake renamed it: a cup
            # was got for the mug, and `Set the dripper on the mug` stays word for word.
            if row.mod is Mod.CASCADE and item.known_place is not None:
                place, thing = as_words(item.known_place), as_words(item.entity)
                is_moved = any(names(text, place) and names(text, thing) for text in moved)
                if is_moved and names(self.original_of(row) or "", place):
                    continue
            kept.append((item.code, item))
        return _grouped(iter(kept))

    @cached_property
    def errors_in_rows(self) -> tuple[tuple[int, RewriteRow, PlannedError], ...]:
        """Rows of wrong executions and substitutions with their plan, in timeline order."""
        return tuple(
            (position, row, self.take.errors[row.event_id or ""])
            for position, row in enumerate(self.rows)
            if row.mod is Mod.ERROR and row.event_id in self.take.errors
        )


def place_of_insertion(error: PlannedError) -> int:
    """The original step before which an inserted step belongs."""
    is_added = Mod.INSERTION in facts_of(error).row_mods
    return error.spec.places(error.step_index)[0] if is_added else 0


def _grouped(pairs: Iterator[tuple[Key, Item]]) -> dict[Key, tuple[Item, ...]]:
    groups: dict[Key, list[Item]] = {}
    for key, item in pairs:
        groups.setdefault(key, []).append(item)
    return {key: tuple(items) for key, items in groups.items()}


def _last_slots(slots: Sequence[int | None], *, start: int = -1) -> Iterator[int]:
    last = start
    for slot in slots:
        yield last
        last = last if slot is None else slot
