"""What is closed is not closed.

Example: 'Close the jar' twice, and nobody opened it in between.
"""

from collections.abc import Iterator

from generation.engine.judging.case import Case
from generation.engine.judging.check import Check
from generation.engine.judging.findings import Fault, FindingSeverity
from generation.engine.judging.world_faults import world_faults


def find(case: Case) -> Iterator[Fault]:
    yield from world_faults(case, "ALREADY_CLOSED")


CHECK = Check(
    code="ALREADY_CLOSED",
    severity=FindingSeverity.SOFT,
    condition="A thing is closed that was closed before and not opened since.",
    find=find,
)
