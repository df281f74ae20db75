"""Steps that no plan moves stay in the order of the original.

Example: steps 4 and 5, both u, stand as 5, 4.
"""

from collections.abc import Iterator

from generation.engine.judging.case import MOVED_MODS, Case
from generation.engine.judging.check import Check
from generation.engine.judging.findings import Fault, FindingSeverity


def find(case: Case) -> Iterator[Fault]:
    highest = -1
    for position, row in enumerate(case.rows):
        if row.old_index is None or case.slots[position] is None or row.mod in MOVED_MODS:
            continue
        if row.old_index < highest:
            detail = f"original step {row.old_index} stands after step {highest}"
            yield Fault(position, detail, row.event_id)
        highest = max(highest, row.old_index)


CHECK = Check(
    code="ORDER_CHANGED",
    severity=FindingSeverity.HARD,
    condition="A step that the plan does not move stands after a later one.",
    find=find,
)
