"""A correction comes right after the step at which the mistake is noticed.

Example: the mistake is noticed after step 3, and the correction stands after step 5.
"""

from collections.abc import Iterator

from generation.engine.judging.case import Case
from generation.engine.judging.check import Check
from generation.engine.judging.findings import Fault, FindingSeverity


def find(case: Case) -> Iterator[Fault]:
    for correction_id, positions in case.positions_by_correction.items():
        correction = case.take.corrections.get(correction_id)
        if correction is None:
            continue
        position, wanted = positions[0], correction.detect_at_step_index
        mistaken = case.positions_by_event.get(correction.target_event_id, ())
        # Swapping two steps is a mistake as soon as the first of them is done.
        if mistaken and mistaken[0] > position:
            detail = f"stands before its mistake {correction.target_event_id}"
            yield Fault(position, detail, correction.target_event_id)
        # Nobody but a plan knows when a mistake is noticed.
        elif not case.take.is_claimed and case.slot_before[position] != wanted:
            detail = f"stands after step {case.slot_before[position]}; expected {wanted}"
            yield Fault(position, detail, correction.target_event_id)


CHECK = Check(
    code="CORRECTION_MISPLACED",
    severity=FindingSeverity.HARD,
    condition="A correction precedes its mistake or stands elsewhere than where it is noticed.",
    find=find,
)
