"""What is open is not opened.

Example: an inserted 'Open the drawer' right after 'Open the drawer'.
"""

from collections.abc import Iterator

from generation.engine.judging.case import Case
from generation.engine.judging.check import Check
from generation.engine.judging.findings import Fault, FindingSeverity
from generation.engine.judging.world_faults import world_faults


def find(case: Case) -> Iterator[Fault]:
    yield from world_faults(case, "ALREADY_OPEN")


CHECK = Check(
    code="ALREADY_OPEN",
    severity=FindingSeverity.SOFT,
    condition="A thing is opened that was opened before and not closed since.",
    find=find,
)
