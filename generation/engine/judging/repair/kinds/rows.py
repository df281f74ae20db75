"""Repairs of rows without new wording: restore, remove or move a row, or correct its marks."""

from dataclasses import replace

from annotation.engine.taxonomy import Mod
from generation.engine.judging.case import ADDED_MODS, Case
from generation.engine.judging.checks.rows import wanted_error_type
from generation.engine.judging.findings import Finding
from generation.engine.judging.repair.repair import repair
from generation.engine.planner.error_kind import facts_of, kind_of
from generation.engine.planner.plan import PlannedError
from generation.engine.rewriting.rewrite import Rewrite, RewriteRow


@repair("EVENT_ID_MISSING", "EVENT_UNPLANNED")
def adopt_lost_id(case: Case, finding: Finding) -> Rewrite | None:
    """Give a row without an id the id of the planned event that nothing else realises."""
    position, row = case.row_of(finding)
    if row.mod is Mod.CORRECTION:
        planned = case.take.corrections.get(row.correction_id or "")
        if planned is not None:
            named = replace(row, event_id=planned.target_event_id)
            return case.rewrite.with_row(position, named)
        lost = [name for name in case.take.corrections if name not in case.positions_by_correction]
        changed = [replace(row, correction_id=name) for name in lost]
    else:
        changed = [
            replace(row, event_id=error.event_id)
            for error in case.plan.errors
            if row.mod in facts_of(error).row_mods - case.mods_of(error.event_id)
        ]
    return case.rewrite.with_row(position, changed[0]) if changed else None


@repair("EVENT_MISSING", "TRANSPOSITION_ORDER")
def carry_out_plan(case: Case, finding: Finding) -> Rewrite | None:
    """Carry out a planned deletion or swap, or an insertion whose text the plan knows."""
    error = case.take.errors.get(finding.event_id or "")
    if error is None:
        return None
    if error.spec.swapped or facts_of(error).leaves_out:
        # Both halves of a swap are marked, the later step first.
        steps = sorted(error.spec.swapped or (error.step_index,), reverse=True)
        positions = [case.positions_by_source.get(step, ()) for step in steps]
        if any(len(rows_of_step) != 1 for rows_of_step in positions):
            return None
        rows = list(case.rows)
        for (position,), step in zip(sorted(positions), steps, strict=True):
            rows[position] = _wordless_row(case, error, step)
        return Rewrite(tuple(rows))
    text = kind_of(error).fixed_text(case.plan, error)
    if text is None or facts_of(error).row_mods != {Mod.INSERTION}:
        return None
    row = RewriteRow(Mod.INSERTION, text, None, error.error_type.name, error.event_id)
    return _with_row_before(case.rewrite, _position_of(case, _place_of_insertion(error)), row)


@repair("ERROR_TYPE_MISMATCH")
def correct_type(case: Case, finding: Finding) -> Rewrite:
    """Give a row the type that its mark and plan require."""
    position, row = case.row_of(finding)
    return case.rewrite.with_row(position, replace(row, error_type=wanted_error_type(case, row)))


@repair("EVENT_ID_MISSING", "EVENT_UNPLANNED", "EVENT_REPEATED", "CORRECTION_REPEATED")
def drop_unplanned(case: Case, finding: Finding) -> Rewrite:
    """Undo unplanned rows: remove added ones, and restore the original of changed ones."""
    position, row = case.row_of(finding)
    if row.old_index is None or case.original_of(row) is None:
        return _without_row(case.rewrite, position)
    return case.rewrite.with_row(position, _original_row(case, row.old_index))


@repair("ORDER_CHANGED", "EVENT_MISPLACED", "CORRECTION_MISPLACED")
def move_row(case: Case, finding: Finding) -> Rewrite | None:
    """Move a step, an inserted step or a correction to the place where it belongs."""
    position, row = case.row_of(finding)
    error = case.take.errors.get(row.event_id or "")
    if row.mod is Mod.CORRECTION:
        correction = case.take.corrections.get(row.correction_id or "")
        if correction is None or correction.detect_at_step_index not in case.slots:
            return None
        noticed_at = len(case.slots) - 1 - case.slots[::-1].index(correction.detect_at_step_index)
        # The mistake is complete only after its last row.
        mistake_at = case.positions_by_event.get(correction.target_event_id, ())
        place = max((noticed_at, *mistake_at[-1:])) + 1
    elif row.mod is Mod.INSERTION and error is not None:
        place = _position_of(case, _place_of_insertion(error))
    elif row.old_index is None or (row.mod is Mod.ERROR and finding.code != "ORDER_CHANGED"):
        return None
    else:
        place = _position_of(case, row.old_index + 1)
    return _with_row_before(_without_row(case.rewrite, position), place - (position < place), row)


@repair(
    "NEIGHBOUR_DUPLICATE", "STEP_REPEATED", "TEXT_MALFORMED", "LOCATION_MISMATCH",
    "LOCATION_MISMATCH_ON_GET", "BACK_TO_SAME_PLACE", "ALREADY_OPEN", "ALREADY_CLOSED",
    "ALREADY_ON", "ALREADY_OFF", "DEGREE_REVERSED", "USE_BEFORE_INTRO", "AFFORDANCE_MISMATCH",
)  # fmt: skip
def restore_cascade_row(case: Case, finding: Finding) -> Rewrite | None:
    """Restore the original step in place of a harmful consequence."""
    _, row = case.row_of(finding)
    return _restored(case, finding) if row.mod is Mod.CASCADE else None


@repair("NOT_VERBATIM", "CASCADE_WITHOUT_CHANGE", "CASCADE_BEFORE_CAUSE")
def restore_text(case: Case, finding: Finding) -> Rewrite | None:
    """Restore the text of a step that should be as in the original."""
    return _restored(case, finding)


def _restored(case: Case, finding: Finding) -> Rewrite | None:
    """The rewrite with the original text in a row, which is then no longer a consequence."""
    position, row = case.row_of(finding)
    original = case.original_of(row)
    if row.old_index is None or original is None:
        return None
    is_cascade = row.mod is Mod.CASCADE
    fixed = _original_row(case, row.old_index) if is_cascade else replace(row, text=original)
    return case.rewrite.with_row(position, fixed)


@repair("SOURCE_MISSING", "SOURCE_REPEATED", "SOURCE_MISMATCH")
def restore_step(case: Case, finding: Finding) -> Rewrite:
    """Add the missing row of an original step, or drop its second row."""
    if finding.code == "SOURCE_MISSING":
        source = int(finding.entity or 0)
        position = _position_of(case, source + 1)
        # Before rows that the plan adds after the step, too.
        while position > 0 and _is_added_after(case, case.rows[position - 1], source):
            position -= 1
        return _with_row_before(case.rewrite, position, _original_row(case, source))
    position, row = case.row_of(finding)
    if finding.code == "SOURCE_REPEATED":
        # Drop a row that belongs to no event if there is one, else the later row.
        positions = case.positions_by_source[int(finding.entity or 0)]
        plain = [p for p in positions if case.rows[p].mod in {Mod.UNCHANGED, Mod.CASCADE}]
        return _without_row(case.rewrite, (plain or positions)[-1])
    if row.mod in ADDED_MODS:
        return case.rewrite.with_row(position, replace(row, old_index=None))
    return _without_row(case.rewrite, position)


def _is_added_after(case: Case, row: RewriteRow, source: int) -> bool:
    if row.mod is Mod.INSERTION:
        error = case.take.errors.get(row.event_id or "")
        return error is not None and _place_of_insertion(error) > source
    correction = case.take.corrections.get(row.correction_id or "")
    return correction is not None and correction.detect_at_step_index >= source


def _place_of_insertion(error: PlannedError) -> int:
    """The original step before which an inserted step belongs."""
    is_added = Mod.INSERTION in facts_of(error).row_mods
    return error.spec.places(error.step_index)[0] if is_added else 0


def _position_of(case: Case, place: int) -> int:
    """The first row at a place of the original or after it; past the last row if none."""
    positions = (p for p, slot in enumerate(case.slots) if slot is not None and slot >= place)
    return next(positions, len(case.rows))


def _without_row(rewrite: Rewrite, position: int) -> Rewrite:
    return Rewrite(rewrite.rows[:position] + rewrite.rows[position + 1 :])


def _with_row_before(rewrite: Rewrite, position: int, row: RewriteRow) -> Rewrite:
    return Rewrite((*rewrite.rows[:position], row, *rewrite.rows[position:]))


def _original_row(case: Case, source: int) -> RewriteRow:
    """The row of a step that stays as it is, or that the plan leaves out."""
    for error in case.plan.errors:
        if error.step_index == source and facts_of(error).leaves_out:
            return _wordless_row(case, error, source)
    return RewriteRow(Mod.UNCHANGED, case.take.texts[source], source)


def _wordless_row(case: Case, error: PlannedError, step: int) -> RewriteRow:
    """The row of a step that a mistake leaves out or swaps with another."""
    mod, text = Mod.DELETION, None
    if error.spec.swapped:
        mod = Mod.MOVED_SOURCE if step == error.spec.swapped[0] else Mod.MOVED_TARGET
        text = case.take.texts[step]
    return RewriteRow(mod, text, step, error.error_type.name, error.event_id)
