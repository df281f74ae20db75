"""A thing is worked on where it is.

Example: the noodles were poured into the bowl and are stirred in the pan.
"""

from collections.abc import Iterator

from generation.engine.judging.case import Case
from generation.engine.judging.check import Check
from generation.engine.judging.findings import Fault, FindingSeverity
from generation.engine.judging.world_faults import world_faults


def find(case: Case) -> Iterator[Fault]:
    yield from world_faults(case, "LOCATION_MISMATCH")


CHECK = Check(
    code="LOCATION_MISMATCH",
    severity=FindingSeverity.SOFT,
    condition="A thing is worked on in another place than the one it was put at.",
    find=find,
)
