"""What was put away is got again before it is used.

Example: 'Put away the spoon', then 'Stir the milk with the spoon'.
"""

from collections.abc import Iterator

from generation.engine.judging.case import Case
from generation.engine.judging.check import Check
from generation.engine.judging.findings import Fault, FindingSeverity
from generation.engine.judging.world_faults import world_faults


def find(case: Case) -> Iterator[Fault]:
    yield from world_faults(case, "PORTABLE_NOT_HELD")


CHECK = Check(
    code="PORTABLE_NOT_HELD",
    severity=FindingSeverity.SOFT,
    condition="A thing is used that was put away and not got again since.",
    find=find,
)
