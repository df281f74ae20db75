"""Every planned correction has its row.

Example: the plan has correction u-1_corr_0, and no row c carries it.
"""

from collections.abc import Iterator

from generation.engine.judging.case import Case
from generation.engine.judging.check import Check
from generation.engine.judging.findings import Fault, FindingSeverity


def find(case: Case) -> Iterator[Fault]:
    for correction in case.take.corrections.values():
        if correction.correction_id not in case.positions_by_correction:
            detail = (
                f"correction {correction.correction_id} of {correction.target_event_id} has no row"
            )
            yield Fault(None, detail, correction.target_event_id)


CHECK = Check(
    code="CORRECTION_MISSING",
    severity=FindingSeverity.HARD,
    condition="A planned correction has no row.",
    find=find,
)
