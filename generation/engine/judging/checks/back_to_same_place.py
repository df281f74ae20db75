"""A thing is not put back where it is.

Example: the noodles are in the bowl, and are poured back into the bowl.
"""

from collections.abc import Iterator

from generation.engine.judging.case import Case
from generation.engine.judging.check import Check
from generation.engine.judging.findings import Fault, FindingSeverity
from generation.engine.judging.world_faults import world_faults


def find(case: Case) -> Iterator[Fault]:
    yield from world_faults(case, "BACK_TO_SAME_PLACE")


CHECK = Check(
    code="BACK_TO_SAME_PLACE",
    severity=FindingSeverity.SOFT,
    condition="A thing is put back at the place where it already is.",
    find=find,
)
