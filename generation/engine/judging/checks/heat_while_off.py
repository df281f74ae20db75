"""Nothing cooks while the heat is off.

Example: an inserted 'Turn off the stove' before 'Fry the eggs'.
"""

from collections.abc import Iterator

from generation.engine.judging.case import Case
from generation.engine.judging.check import Check
from generation.engine.judging.findings import Fault, FindingSeverity
from generation.engine.judging.world_faults import world_faults


def find(case: Case) -> Iterator[Fault]:
    yield from world_faults(case, "HEAT_WHILE_OFF")


CHECK = Check(
    code="HEAT_WHILE_OFF",
    severity=FindingSeverity.SOFT,
    condition="Something is heated after the source of heat was switched off.",
    find=find,
)
