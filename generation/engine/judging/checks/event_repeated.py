"""Every planned mistake happens once.

Example: two rows i carry E02.
"""

from collections import Counter
from collections.abc import Iterator

from generation.engine.judging.case import Case
from generation.engine.judging.check import Check
from generation.engine.judging.findings import Fault, FindingSeverity
from generation.engine.planner.error_kind import facts_of


def find(case: Case) -> Iterator[Fault]:
    for error in case.plan.errors:
        wanted = facts_of(error).row_mods
        seen: Counter[str] = Counter()
        for position in case.positions_by_event.get(error.event_id, ()):
            mod = case.rows[position].mod
            seen[mod] += 1
            if mod not in wanted:
                detail = f"a row {mod} carries the id of a planned {error.error_type}"
                yield Fault(position, detail, error.event_id)
            elif seen[mod] > 1:
                yield Fault(position, f"another row {mod} of {error.event_id}", error.event_id)


CHECK = Check(
    code="EVENT_REPEATED",
    severity=FindingSeverity.HARD,
    condition="The id of a planned mistake is on a second row, or on a row of another kind.",
    find=find,
)
