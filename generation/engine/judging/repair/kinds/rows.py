"""Repairs of rows that need no new words: they come back, go, move, or get their marks."""

from collections.abc import Callable
from dataclasses import replace

from annotation.engine.taxonomy import Mod
from generation.engine.judging.case import ADDED_MODS, Case, place_of_insertion
from generation.engine.judging.checks.rows import wanted_error_type
from generation.engine.judging.findings import Finding
from generation.engine.judging.repair.repair import repair
from generation.engine.planner.error_kind import facts_of, kind_of
from generation.engine.planner.plan import PlannedError
from generation.engine.rewriting.rewrite import Rewrite, RewriteRow


@repair("EVENT_ID_MISSING", "EVENT_UNPLANNED")
def adopt_lost_id(case: Case, finding: Finding) -> Rewrite | None:
    """Give a row without an id the id of the planned event that nothing else realises."""
    if finding.position is None:
        return None
    row = case.rows[finding.position]
    fixed: RewriteRow | None = None
    if row.mod is Mod.CORRECTION:
        planned = case.take.corrections.get(row.correction_id or "")
        missing = [c for c in case.take.corrections if c not in case.positions_by_correction]
        if planned is not None:
            fixed = replace(row, event_id=planned.target_event_id)
        elif missing:
            fixed = replace(row, correction_id=missing[0])
    else:
        lost = [
            error.event_id
            for error in case.plan.errors
            if row.mod in facts_of(error).row_mods - case.mods_of(error.event_id)
        ]
        fixed = replace(row, event_id=lost[0]) if lost else None
    return None if fixed is None else case.rewrite.with_row(finding.position, fixed)


@repair("EVENT_MISSING", "TRANSPOSITION_ORDER")
def carry_out_plan(case: Case, finding: Finding) -> Rewrite | None:
    """Carry out a planned deletion or swap, or what else needs no words to be found."""
    error = case.take.errors.get(finding.event_id or "")
    if error is None:
        return None
    if error.spec.swapped:
        # Both halves are marked, the later step first.
        source, target = error.spec.swapped
        first, second = _only_row(case, source), _only_row(case, target)
        if first is None or second is None:
            return None
        rows, name = list(case.rows), error.error_type.name
        reversed_steps = sorted((source, target), reverse=True)
        for at, index in zip(sorted((first, second)), reversed_steps, strict=True):
            mod = Mod.MOVED_SOURCE if index == source else Mod.MOVED_TARGET
            rows[at] = RewriteRow(mod, case.take.texts[index], index, name, error.event_id)
        return Rewrite(tuple(rows))
    if facts_of(error).leaves_out:
        position = _only_row(case, error.step_index)
        return None if position is None else case.rewrite.with_row(position, _left_out(error))
    text = kind_of(error).known_text(case.plan, error)
    if text is None or facts_of(error).row_mods != {Mod.INSERTION}:
        return None
    row = RewriteRow(Mod.INSERTION, text, None, error.error_type.name, error.event_id)
    wanted = place_of_insertion(error)
    return _with_row_before(case.rewrite, _first_position(case, lambda slot: slot >= wanted), row)


@repair("ERROR_TYPE_MISMATCH")
def correct_type(case: Case, finding: Finding) -> Rewrite | None:
    """Write the type on a row that its mark and its plan ask for."""
    if finding.position is None:
        return None
    row = case.rows[finding.position]
    fixed = replace(row, error_type=wanted_error_type(case, row))
    return case.rewrite.with_row(finding.position, fixed)


@repair("EVENT_ID_MISSING", "EVENT_UNPLANNED", "EVENT_REPEATED", "CORRECTION_REPEATED")
def drop_unplanned(case: Case, finding: Finding) -> Rewrite | None:
    """Take back what no plan asks for: added rows go, changed rows become the original again."""
    if finding.position is None:
        return None
    row = case.rows[finding.position]
    if row.old_index is None or case.original_of(row) is None:
        return _without_row(case.rewrite, finding.position)
    return case.rewrite.with_row(finding.position, _original_row(case, row.old_index))


@repair("ORDER_CHANGED", "EVENT_MISPLACED", "CORRECTION_MISPLACED")
def move_row(case: Case, finding: Finding) -> Rewrite | None:
    """Move a step, an inserted step or a correction to the place where it belongs."""
    if finding.position is None:
        return None
    row = case.rows[finding.position]
    error = case.take.errors.get(row.event_id or "")
    if row.mod is Mod.CORRECTION:
        correction = case.take.corrections.get(row.correction_id or "")
        if correction is None or correction.detect_at_step_index not in case.slots:
            return None
        noticed_at = len(case.slots) - 1 - case.slots[::-1].index(correction.detect_at_step_index)
        # From its last row on the mistake has happened.
        made_at = case.positions_by_event.get(correction.target_event_id, ())
        place = max((noticed_at, *made_at[-1:])) + 1
    elif row.mod is Mod.INSERTION and error is not None:
        wanted = place_of_insertion(error)
        place = _first_position(case, lambda slot: slot >= wanted)
    elif row.old_index is None or (row.mod is Mod.ERROR and finding.code != "ORDER_CHANGED"):
        return None
    else:
        source = row.old_index
        place = _first_position(case, lambda slot: slot > source)
    shorter = _without_row(case.rewrite, finding.position)
    return _with_row_before(shorter, place - (finding.position < place), row)


@repair(
    "NEIGHBOUR_DUPLICATE", "STEP_REPEATED", "TEXT_MALFORMED", "LOCATION_MISMATCH",
    "LOCATION_MISMATCH_ON_GET", "BACK_TO_SAME_PLACE", "ALREADY_OPEN", "ALREADY_CLOSED",
    "ALREADY_ON", "ALREADY_OFF", "DEGREE_REVERSED", "USE_BEFORE_INTRO", "AFFORDANCE_MISMATCH",
)  # fmt: skip
def restore_cascade_row(case: Case, finding: Finding) -> Rewrite | None:
    """Make a consequence that does harm the original step again."""
    return _restored(case, finding, frozenset({Mod.CASCADE}))


@repair("NOT_VERBATIM", "CASCADE_WITHOUT_CHANGE", "CASCADE_BEFORE_CAUSE")
def restore_text(case: Case, finding: Finding) -> Rewrite | None:
    """Give a step that should be as in the original its text back."""
    return _restored(case, finding, frozenset(Mod))


def _restored(case: Case, finding: Finding, mods: frozenset[Mod]) -> Rewrite | None:
    """The rewrite where a row of these marks reads as the original; a consequence is none then."""
    row = None if finding.position is None else case.rows[finding.position]
    if row is None or finding.position is None or row.mod not in mods or row.old_index is None:
        return None
    original = case.original_of(row)
    if original is None:
        return None
    is_cascade = row.mod is Mod.CASCADE
    fixed = _original_row(case, row.old_index) if is_cascade else replace(row, text=original)
    return case.rewrite.with_row(finding.position, fixed)


@repair("SOURCE_MISSING", "SOURCE_REPEATED", "SOURCE_MISMATCH")
def restore_step(case: Case, finding: Finding) -> Rewrite | None:
    """Put a step of the original back that has no row, drop the second row of one that has two."""
    if finding.code == "SOURCE_MISSING":
        source = int(finding.entity or 0)
        position = _first_position(case, lambda slot: slot > source)
        # Also before what was added after the step.
        while position > 0 and _is_added_after(case, case.rows[position - 1], source):
            position -= 1
        return _with_row_before(case.rewrite, position, _original_row(case, source))
    if finding.position is None:
        return None
    row = case.rows[finding.position]
    if finding.code == "SOURCE_REPEATED":
        # One that is no event goes where there is one, else the later one.
        positions = case.positions_by_source[int(finding.entity or 0)]
        plain = [p for p in positions if case.rows[p].mod in {Mod.UNCHANGED, Mod.CASCADE}]
        return _without_row(case.rewrite, (plain or positions)[-1])
    if row.mod in ADDED_MODS:
        return case.rewrite.with_row(finding.position, replace(row, old_index=None))
    return _without_row(case.rewrite, finding.position)


def _is_added_after(case: Case, row: RewriteRow, source: int) -> bool:
    """Whether the plan adds the row somewhere after a step."""
    if row.mod is Mod.INSERTION:
        error = case.take.errors.get(row.event_id or "")
        return error is not None and place_of_insertion(error) > source
    correction = case.take.corrections.get(row.correction_id or "")
    return correction is not None and correction.detect_at_step_index >= source


def _without_row(rewrite: Rewrite, position: int) -> Rewrite:
    return Rewrite(rewrite.rows[:position] + rewrite.rows[position + 1 :])


def _with_row_before(rewrite: Rewrite, position: int, row: RewriteRow) -> Rewrite:
    return Rewrite((*rewrite.rows[:position], row, *rewrite.rows[position:]))


def _original_row(case: Case, source: int) -> RewriteRow:
    """The row of a step to which nothing happens, or of one that the plan leaves out."""
    for error in case.plan.errors:
        if error.step_index == source and facts_of(error).leaves_out:
            return _left_out(error)
    return RewriteRow(Mod.UNCHANGED, case.take.texts[source], source)


def _left_out(error: PlannedError) -> RewriteRow:
    name = error.error_type.name
    return RewriteRow(Mod.DELETION, None, error.step_index, name, error.event_id)


def _only_row(case: Case, source: int) -> int | None:
    positions = case.positions_by_source.get(source, ())
    return positions[0] if len(positions) == 1 else None


def _first_position(case: Case, wanted: Callable[[int], bool]) -> int:
    """The first row whose place of the original is wanted; after the last if none is."""
    places = (p for p, slot in enumerate(case.slots) if slot is not None and wanted(slot))
    return next(places, len(case.rows))
