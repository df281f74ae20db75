"""Make a consequence that does harm the original step again."""

from annotation.engine.taxonomy import Mod
from generation.engine.judging.case import Case
from generation.engine.judging.findings import Finding
from generation.engine.judging.repair.editing import original_row
from generation.engine.judging.repair.repair import Repair
from generation.engine.rewriting.rewrite import Rewrite
from generation.engine.word_lists import word_set

_CODES = word_set(
    "NEIGHBOUR_DUPLICATE STEP_REPEATED TEXT_MALFORMED LOCATION_MISMATCH LOCATION_MISMATCH_ON_GET "
    "BACK_TO_SAME_PLACE ALREADY_OPEN ALREADY_CLOSED ALREADY_ON ALREADY_OFF DEGREE_REVERSED "
    "USE_BEFORE_INTRO AFFORDANCE_MISMATCH"
)


def propose(case: Case, finding: Finding) -> Rewrite | None:
    if finding.position is None:
        return None
    row = case.rows[finding.position]
    if row.mod is not Mod.CASCADE or row.old_index is None or case.original_of(row) is None:
        return None
    return case.rewrite.with_row(finding.position, original_row(case.take, row.old_index))


REPAIR = Repair(name="restore_cascade_row", codes=_CODES, propose=propose)
