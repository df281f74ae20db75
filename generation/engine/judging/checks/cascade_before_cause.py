"""A consequence comes after its mistake.

Example: a row a of E02 stands at step 5, and E02 happens at step 9.
"""

from collections.abc import Iterator

from annotation.engine.taxonomy import Mod
from generation.engine.judging.case import Case
from generation.engine.judging.check import Check
from generation.engine.judging.findings import Fault, FindingSeverity


def find(case: Case) -> Iterator[Fault]:
    for position, row in enumerate(case.rows):
        if row.mod is not Mod.CASCADE or row.event_id is None:
            continue
        causes = case.positions_by_event.get(row.event_id, ())
        if causes and causes[0] > position:
            detail = f"follows from {row.event_id}, which happens later, at row {causes[0]}"
            yield Fault(position, detail, row.event_id)


CHECK = Check(
    code="CASCADE_BEFORE_CAUSE",
    severity=FindingSeverity.HARD,
    condition="A row is marked as a consequence of a mistake that happens later.",
    find=find,
)
