"""Small edits of a rewrite that several repairs make."""

from collections.abc import Callable
from dataclasses import replace

from annotation.engine.taxonomy import Mod
from generation.engine.english.surface import as_words, definite, in_style_of, lower_first
from generation.engine.english.words import names
from generation.engine.judging.case import Case, TakeInQuestion
from generation.engine.judging.findings import Finding
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


def with_action_first(case: Case, finding: Finding, action: str) -> Rewrite | None:
    """The rewrite where a step does something to its thing first: "Get the jar and open it"."""
    if finding.position is None or finding.entity is None:
        return None
    thing, row = finding.entity, case.rows[finding.position]
    if row.text is None:
        return None
    text = f"{action} {definite(as_words(thing))} and {lower_first(row.text)}"
    return with_consequence(case, finding.position, in_style_of(text, row.text), thing)


def with_consequence(case: Case, position: int, text: str, thing: str) -> Rewrite | None:
    """The rewrite with another text of a row: an unchanged one now follows from a mistake.

    From the last one before it whose steps name the thing, else from the last one before it. None
    where the row has to stay as it is, or where no mistake is there for it to follow from.
    """
    row = case.rows[position]
    if row.mod in {Mod.CASCADE, Mod.INSERTION, Mod.CORRECTION}:
        return case.rewrite.with_row(position, replace(row, text=text))
    if row.mod is not Mod.UNCHANGED:
        return None
    mistaken = [
        earlier
        for earlier in reversed(case.rows[:position])
        if earlier.event_id in case.take.errors and earlier.mod not in {Mod.CASCADE, Mod.CORRECTION}
    ]
    naming = (
        earlier
        for earlier in mistaken
        if any(names(said or "", thing) for said in (case.original_of(earlier), earlier.text))
    )
    cause = next(naming, next(iter(mistaken), None))
    if cause is None:
        return None
    follows = RewriteRow(Mod.CASCADE, text, row.old_index, event_id=cause.event_id)
    return case.rewrite.with_row(position, follows)
