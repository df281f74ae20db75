"""Every original step has a row, deleted ones too.

Example: the procedure has 12 steps and no row of the rewrite has old index 7.
"""

from collections.abc import Iterator

from generation.engine.judging.case import Case
from generation.engine.judging.check import Check
from generation.engine.judging.findings import Fault, FindingSeverity


def find(case: Case) -> Iterator[Fault]:
    for index, text in enumerate(case.take.texts):
        if index not in case.positions_by_source:
            yield Fault(None, f"original step {index} ({text!r}) has no row", entity=str(index))


CHECK = Check(
    code="SOURCE_MISSING",
    severity=FindingSeverity.HARD,
    condition="An original step has no row, not even as deleted.",
    find=find,
)
