"""Every planned correction is made once.

Example: two rows c carry u-1_corr_0.
"""

from collections.abc import Iterator

from generation.engine.judging.case import Case
from generation.engine.judging.check import Check
from generation.engine.judging.findings import Fault, FindingSeverity


def find(case: Case) -> Iterator[Fault]:
    for correction_id, positions in case.positions_by_correction.items():
        for position in positions[1:]:
            detail = f"correction {correction_id} has a row already, at {positions[0]}"
            yield Fault(position, detail, case.rows[position].event_id)


CHECK = Check(
    code="CORRECTION_REPEATED",
    severity=FindingSeverity.HARD,
    condition="A planned correction has more than one row.",
    find=find,
)
