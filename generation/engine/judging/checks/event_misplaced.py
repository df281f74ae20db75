"""Every planned mistake happens where it is planned.

Example: an insertion planned before step 4 stands before step 6; step 3 is
done wrongly at step 5.
"""

from collections.abc import Iterator

from annotation.engine.taxonomy import ErrorType, Mod
from generation.engine.judging.case import Case, place_of_insertion
from generation.engine.judging.check import Check
from generation.engine.judging.findings import Fault, FindingSeverity
from generation.engine.planner.plan import PlannedError


def find(case: Case) -> Iterator[Fault]:
    for error in case.plan.errors:
        for position in case.positions_by_event.get(error.event_id, ()):
            detail = _fault(case, error, position)
            if detail is not None:
                yield Fault(position, detail, error.event_id)


def _fault(case: Case, error: PlannedError, position: int) -> str | None:
    row = case.rows[position]
    if error.error_type is ErrorType.INSERTION and row.mod is Mod.INSERTION:
        wanted, found = place_of_insertion(error), case.slot_after[position]
        return None if found == wanted else f"stands before step {found}; expected {wanted}"
    if error.error_type in {ErrorType.WRONG_EXECUTION, ErrorType.SUBSTITUTION}:
        if row.mod is not Mod.ERROR or row.old_index == error.step_index:
            return None
        return f"is at step {row.old_index}; expected {error.step_index}"
    if error.error_type is ErrorType.DELETION and row.mod is Mod.DELETION:
        allowed = case.take.deletion_sources(error)
        return None if row.old_index in allowed else f"is step {row.old_index}, not {allowed}"
    return None


CHECK = Check(
    code="EVENT_MISPLACED",
    severity=FindingSeverity.HARD,
    condition="A planned mistake stands at another place than the planned one (or its alternates).",
    find=find,
)
