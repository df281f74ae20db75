"""What is off is not switched off.

Example: an inserted 'Turn off the stove' while it is off.
"""

from collections.abc import Iterator

from generation.engine.judging.case import Case
from generation.engine.judging.check import Check
from generation.engine.judging.findings import Fault, FindingSeverity
from generation.engine.judging.world_faults import world_faults


def find(case: Case) -> Iterator[Fault]:
    yield from world_faults(case, "ALREADY_OFF")


CHECK = Check(
    code="ALREADY_OFF",
    severity=FindingSeverity.SOFT,
    condition="A thing is switched off that was switched off before and not on since.",
    find=find,
)
