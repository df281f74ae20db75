"""Small edits of a rewrite that several repairs make."""

from collections.abc import Callable
from dataclasses import replace

from annotation.engine.taxonomy import Mod
from generation.engine.judging.case import Case, TakeInQuestion
from generation.engine.planner.error_kind import facts_of
from generation.engine.planner.plan import PlannedError
from generation.engine.rewriting.rewrite import Rewrite, RewriteRow


def without_row(rewrite: Rewrite, position: int) -> Rewrite:
    return Rewrite(rewrite.rows[:position] + rewrite.rows[position + 1 :])


def with_row_before(rewrite: Rewrite, position: int, row: RewriteRow) -> Rewrite:
    return Rewrite((*rewrite.rows[:position], row, *rewrite.rows[position:]))


def moved(rewrite: Rewrite, position: int, before: int) -> Rewrite:
    """The rewrite with a row taken from `position` and put before the one at `before`."""
    row = rewrite.rows[position]
    shorter = without_row(rewrite, position)
    return with_row_before(shorter, before - (position < before), row)


def original_row(take: TakeInQuestion, source: int) -> RewriteRow:
    """The row of a step to which nothing happens, or of one that the plan leaves out."""
    for error in take.plan.errors:
        if error.step_index == source and facts_of(error).leaves_out:
            return left_out_row(error)
    return RewriteRow(Mod.UNCHANGED, take.texts[source], source)


def left_out_row(error: PlannedError) -> RewriteRow:
    name = error.error_type.name
    return RewriteRow(Mod.DELETION, None, error.step_index, name, error.event_id)


def first_position(case: Case, wanted: Callable[[int], bool]) -> int:
    """The first row whose place of the original is wanted; after the last if none is."""
    for position, slot in enumerate(case.slots):
        if slot is not None and wanted(slot):
            return position
    return len(case.rows)


def as_consequence(row: RewriteRow, text: str, event_id: str | None) -> RewriteRow | None:
    """The row with another text: an unchanged one becomes a consequence of a mistake.

    None where the row has to stay as it is, or where no mistake is there for it to follow from.
    """
    if row.mod is Mod.UNCHANGED:
        if event_id is None:
            return None
        return RewriteRow(Mod.CASCADE, text, row.old_index, event_id=event_id)
    if row.mod in {Mod.CASCADE, Mod.INSERTION, Mod.CORRECTION}:
        return replace(row, text=text)
    return None


def cause_of(case: Case, position: int, names_it: Callable[[str], bool]) -> str | None:
    """The mistake that a fault at `position` follows from.

    The last one before it whose steps name the thing; else the last one before it.
    """
    nearest: str | None = None
    for row in reversed(case.rows[:position]):
        if row.event_id not in case.take.errors or row.mod in {Mod.CASCADE, Mod.CORRECTION}:
            continue
        nearest = nearest or row.event_id
        if any(names_it(text) for text in (case.original_of(row), row.text) if text is not None):
            return row.event_id
    return nearest
