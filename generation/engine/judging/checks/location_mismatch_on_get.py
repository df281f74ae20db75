"""A thing is taken from where it is.

Example: the spoon was put into the drawer and is got from the sink.
"""

from collections.abc import Iterator

from generation.engine.judging.case import Case
from generation.engine.judging.check import Check
from generation.engine.judging.findings import Fault, FindingSeverity
from generation.engine.judging.world_faults import world_faults


def find(case: Case) -> Iterator[Fault]:
    yield from world_faults(case, "LOCATION_MISMATCH_ON_GET")


CHECK = Check(
    code="LOCATION_MISMATCH_ON_GET",
    severity=FindingSeverity.SOFT,
    condition="A thing is taken from another place than the one it was put at.",
    find=find,
)
