"""What is on is not switched on.

Example: an inserted 'Turn on the stove' while it is on.
"""

from collections.abc import Iterator

from generation.engine.judging.case import Case
from generation.engine.judging.check import Check
from generation.engine.judging.findings import Fault, FindingSeverity
from generation.engine.judging.world_faults import world_faults


def find(case: Case) -> Iterator[Fault]:
    yield from world_faults(case, "ALREADY_ON")


CHECK = Check(
    code="ALREADY_ON",
    severity=FindingSeverity.SOFT,
    condition="A thing is switched on that was switched on before and not off since.",
    find=find,
)
