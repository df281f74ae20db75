"""What was thrown away is not used.

Example: 'Dispose of the test plate in the plastic bag', then 'Read the test plate'.
"""

from collections.abc import Iterator

from generation.engine.judging.case import Case
from generation.engine.judging.check import Check
from generation.engine.judging.findings import Fault, FindingSeverity
from generation.engine.judging.world_faults import world_faults


def find(case: Case) -> Iterator[Fault]:
    yield from world_faults(case, "USE_AFTER_DISPOSE")


CHECK = Check(
    code="USE_AFTER_DISPOSE",
    severity=FindingSeverity.SOFT,
    condition="A thing is used after it was thrown away.",
    find=find,
)
