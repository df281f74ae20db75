"""Nothing goes into or out of what is closed.

Example: 'Close the jar', then 'Get a tea bag from the jar'.
"""

from collections.abc import Iterator

from generation.engine.judging.case import Case
from generation.engine.judging.check import Check
from generation.engine.judging.findings import Fault, FindingSeverity
from generation.engine.judging.world_faults import world_faults


def find(case: Case) -> Iterator[Fault]:
    yield from world_faults(case, "USE_WHILE_CLOSED")


CHECK = Check(
    code="USE_WHILE_CLOSED",
    severity=FindingSeverity.SOFT,
    condition="Something goes into or comes out of a thing that was closed and not opened since.",
    find=find,
)
