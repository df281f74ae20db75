"""Every planned mistake happens where it is planned.

Example: an insertion planned before step 4 stands before step 6; step 3 is
done wrongly at step 5.
"""

from collections.abc import Iterator

from annotation.engine.taxonomy import Mod
from generation.engine.judging.case import Case
from generation.engine.judging.check import Check
from generation.engine.judging.findings import Fault, FindingSeverity
from generation.engine.planner.error_kind import facts_of
from generation.engine.planner.plan import PlannedError


def find(case: Case) -> Iterator[Fault]:
    for error in case.plan.errors:
        for position in case.positions_by_event.get(error.event_id, ()):
            detail = _fault(case, error, position)
            if detail is not None:
                yield Fault(position, detail, error.event_id)


def _fault(case: Case, error: PlannedError, position: int) -> str | None:
    row, places = case.rows[position], error.spec.places(error.step_index)
    if not places or row.mod not in facts_of(error).row_mods:
        return None
    if row.mod is Mod.INSERTION:
        wanted, found = places[0], case.slot_after[position]
        return None if found == wanted else f"stands before step {found}; expected {wanted}"
    if row.old_index in places:
        return None
    if row.mod is Mod.DELETION:
        return f"is step {row.old_index}, not {places}"
    return f"is at step {row.old_index}; expected {places[0]}"


CHECK = Check(
    code="EVENT_MISPLACED",
    severity=FindingSeverity.HARD,
    condition="A planned mistake stands at another place than the planned one (or its alternates).",
    find=find,
)
