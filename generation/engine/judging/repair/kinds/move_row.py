"""Move a step, an inserted step or a correction to the place where it belongs."""

from annotation.engine.taxonomy import Mod
from generation.engine.judging.case import Case, place_of_insertion
from generation.engine.judging.findings import Finding
from generation.engine.judging.repair.editing import first_position, moved
from generation.engine.judging.repair.repair import Repair
from generation.engine.rewriting.rewrite import Rewrite


def propose(case: Case, finding: Finding) -> Rewrite | None:
    if finding.position is None:
        return None
    row = case.rows[finding.position]
    if row.mod is Mod.CORRECTION:
        correction = case.take.corrections.get(row.correction_id or "")
        if correction is None or correction.detect_at_step_index not in case.slots:
            return None
        noticed_at = len(case.slots) - 1 - case.slots[::-1].index(correction.detect_at_step_index)
        # From its last row on the mistake has happened.
        made_at = case.positions_by_event.get(correction.target_event_id, ())
        return moved(case.rewrite, finding.position, max((noticed_at, *made_at[-1:])) + 1)
    error = case.take.errors.get(row.event_id or "")
    if row.mod is Mod.INSERTION and error is not None:
        wanted = place_of_insertion(error)
        place = first_position(case, lambda slot: slot >= wanted)
        return moved(case.rewrite, finding.position, place)
    if row.old_index is None or (row.mod is Mod.ERROR and finding.code != "ORDER_CHANGED"):
        return None
    source = row.old_index
    place = first_position(case, lambda slot: slot > source)
    return moved(case.rewrite, finding.position, place)


REPAIR = Repair(
    name="move_row",
    codes=frozenset({"ORDER_CHANGED", "EVENT_MISPLACED", "CORRECTION_MISPLACED"}),
    propose=propose,
)
