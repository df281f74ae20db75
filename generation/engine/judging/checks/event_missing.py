"""Every planned mistake has its row or rows.

Example: the plan deletes step 9 as E01, and no row d carries E01.
"""

from collections.abc import Iterator

from generation.engine.judging.case import Case
from generation.engine.judging.check import Check
from generation.engine.judging.findings import Fault, FindingSeverity
from generation.engine.planner.error_kind import facts_of


def find(case: Case) -> Iterator[Fault]:
    for error in case.plan.errors:
        wanted = facts_of(error).row_mods
        positions = case.positions_by_event.get(error.event_id, ())
        missing = wanted - {case.rows[position].mod for position in positions}
        if missing:
            marks = " and ".join(sorted(missing))
            detail = f"planned {error.error_type} at step {error.step_index} has no row {marks}"
            yield Fault(None, detail, error.event_id)


CHECK = Check(
    code="EVENT_MISSING",
    severity=FindingSeverity.HARD,
    condition="A planned mistake has no row of the kind that realises it.",
    find=find,
)
