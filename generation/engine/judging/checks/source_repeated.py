"""No original step has two rows.

Example: a row u and a later row a both have old index 5.
"""

from collections.abc import Iterator

from generation.engine.judging.case import Case
from generation.engine.judging.check import Check
from generation.engine.judging.findings import Fault, FindingSeverity


def find(case: Case) -> Iterator[Fault]:
    for index, positions in case.positions_by_source.items():
        for position in positions[1:]:
            detail = f"original step {index} has a row already, at {positions[0]}"
            yield Fault(position, detail, case.rows[position].event_id, entity=str(index))


CHECK = Check(
    code="SOURCE_REPEATED",
    severity=FindingSeverity.HARD,
    condition="An original step has more than one row.",
    find=find,
)
