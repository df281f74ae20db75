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


def find(case: Case) -> Iterator[Fault]:
    for error in case.plan.errors:
        places = error.spec.places(error.step_index)
        for position in case.positions_by_event.get(error.event_id, ()) if places else ():
            row, slot = case.rows[position], case.slot_after[position]
            is_added = row.mod is Mod.INSERTION
            is_placed = slot == places[0] if is_added else row.old_index in places
            if is_placed or row.mod not in facts_of(error).row_mods:
                continue
            if is_added:
                detail = f"stands before step {slot}; expected {places[0]}"
            elif row.mod is Mod.DELETION:
                detail = f"is step {row.old_index}, not {places}"
            else:
                detail = f"is at step {row.old_index}; expected {places[0]}"
            yield Fault(position, detail, error.event_id)


CHECK = Check(
    code="EVENT_MISPLACED",
    severity=FindingSeverity.HARD,
    condition="A planned mistake stands at another place than the planned one (or its alternates).",
    find=find,
)
