"""What one holds is not got again.

Example: an inserted 'Get the pot', then 'Get the pot' again.
"""

from collections.abc import Iterator

from annotation.engine.taxonomy import Mod
from generation.engine.judging.case import Case
from generation.engine.judging.check import Check
from generation.engine.judging.findings import Fault, FindingSeverity
from generation.engine.judging.world_faults import world_faults


def find(case: Case) -> Iterator[Fault]:
    for fault in world_faults(case, "DUP_GET_NO_PUT"):
        # A correction does again what went wrong, getting included.
        if fault.position is not None and case.rows[fault.position].mod is not Mod.CORRECTION:
            yield fault


CHECK = Check(
    code="DUP_GET_NO_PUT",
    severity=FindingSeverity.SOFT,
    condition="A thing is got again within a few steps, without having been put down.",
    find=find,
)
