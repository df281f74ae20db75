"""Every id on a row is in the plan.

Example: a row a carries the id E_UNKNOWN, which no planned mistake has.
"""

from collections.abc import Iterator

from generation.engine.judging.case import Case
from generation.engine.judging.check import Check
from generation.engine.judging.findings import Fault, FindingSeverity


def find(case: Case) -> Iterator[Fault]:
    for position, row in enumerate(case.rows):
        if row.event_id is not None and row.event_id not in case.take.errors:
            detail = f"a row {row.mod} has the id {row.event_id!r}, which the plan does not have"
            yield Fault(position, detail, row.event_id)
        cid = row.correction_id
        if cid is not None and cid not in case.take.corrections:
            detail = f"a row {row.mod} has the correction id {cid!r}, not in the plan"
            yield Fault(position, detail, row.event_id)


CHECK = Check(
    code="EVENT_UNPLANNED",
    severity=FindingSeverity.HARD,
    condition="A row carries an event or correction id that the plan does not have.",
    find=find,
)
