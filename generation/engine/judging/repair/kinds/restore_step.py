"""Put a step of the original back that has no row, and drop the second row of one that has two."""

from dataclasses import replace

from annotation.engine.taxonomy import Mod
from generation.engine.judging.case import ADDED_MODS, Case, place_of_insertion
from generation.engine.judging.findings import Finding
from generation.engine.judging.repair.editing import (
    first_position,
    original_row,
    with_row_before,
    without_row,
)
from generation.engine.judging.repair.repair import Repair
from generation.engine.rewriting.rewrite import Rewrite


def propose(case: Case, finding: Finding) -> Rewrite | None:
    if finding.code == "SOURCE_MISSING":
        source = int(finding.entity or 0)
        position = first_position(case, lambda slot: slot > source)
        # Also before what was added after the step.
        while position > 0:
            row = case.rows[position - 1]
            error = case.take.errors.get(row.event_id or "")
            correction = case.take.corrections.get(row.correction_id or "")
            if row.mod is Mod.INSERTION:
                is_later = error is not None and place_of_insertion(error) > source
            else:
                is_later = correction is not None and correction.detect_at_step_index >= source
            if not is_later:
                break
            position -= 1
        return with_row_before(case.rewrite, position, original_row(case.take, source))
    if finding.position is None:
        return None
    row = case.rows[finding.position]
    if finding.code == "SOURCE_REPEATED":
        # One that is no event goes where there is one, else the later one.
        positions = case.positions_by_source[int(finding.entity or 0)]
        plain = [p for p in positions if case.rows[p].mod in {Mod.UNCHANGED, Mod.CASCADE}]
        return without_row(case.rewrite, (plain or positions)[-1])
    if row.mod in ADDED_MODS:
        return case.rewrite.with_row(finding.position, replace(row, old_index=None))
    return without_row(case.rewrite, finding.position)


REPAIR = Repair(
    name="restore_step",
    codes=frozenset({"SOURCE_MISSING", "SOURCE_REPEATED", "SOURCE_MISMATCH"}),
    propose=propose,
)
