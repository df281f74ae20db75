"""Give a row without an id the id of the planned event that nothing else realises."""

from dataclasses import replace

from annotation.engine.taxonomy import Mod
from generation.engine.judging.case import Case
from generation.engine.judging.findings import Finding
from generation.engine.judging.repair.repair import Repair
from generation.engine.planner.error_kind import facts_of
from generation.engine.rewriting.rewrite import Rewrite, RewriteRow


def propose(case: Case, finding: Finding) -> Rewrite | None:
    if finding.position is None:
        return None
    row = case.rows[finding.position]
    planned = case.take.corrections.get(row.correction_id or "")
    if planned is not None and row.mod is Mod.CORRECTION:
        fixed: RewriteRow | None = replace(row, event_id=planned.target_event_id)
    elif row.mod is Mod.CORRECTION:
        missing = [c for c in case.take.corrections if c not in case.positions_by_correction]
        fixed = replace(row, correction_id=missing[0]) if missing else None
    else:
        lost = [
            error.event_id
            for error in case.plan.errors
            if row.mod in facts_of(error).row_mods
            and not any(
                case.rows[position].mod is row.mod
                for position in case.positions_by_event.get(error.event_id, ())
            )
        ]
        fixed = replace(row, event_id=lost[0]) if lost else None
    return None if fixed is None else case.rewrite.with_row(finding.position, fixed)


REPAIR = Repair(
    name="adopt_lost_id",
    codes=frozenset({"EVENT_ID_MISSING", "EVENT_UNPLANNED"}),
    propose=propose,
)
