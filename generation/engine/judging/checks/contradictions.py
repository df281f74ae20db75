"""Actions that are impossible in the state in which earlier steps left a thing.

The rules are in `judging.contradictions`; here each of their codes becomes a check.
"""

from functools import partial

from generation.engine.judging.case import Case
from generation.engine.judging.check import Check, Faults
from generation.engine.judging.findings import Fault, FindingSeverity

# The meaning of a finding, by code.
CONDITIONS = {
    "ALREADY_OPEN": "A thing is opened that was opened before and not closed since.",
    "ALREADY_CLOSED": "A thing is closed that was closed before and not opened since.",
    "ALREADY_ON": "A thing is switched on that was switched on before and not off since.",
    "ALREADY_OFF": "A thing is switched off that was switched off before and not on since.",
    "USE_WHILE_CLOSED": (
        "Something goes into or comes out of a thing that was closed and not opened since."
    ),
    "HEAT_WHILE_OFF": "Something is heated after the source of heat was switched off.",
    "BACK_TO_SAME_PLACE": "A thing is put back at the place where it already is.",
    "LOCATION_MISMATCH": "A thing is worked on in another place than the one it was put at.",
    "LOCATION_MISMATCH_ON_GET": "A thing is taken from another place than the one it was put at.",
    "PORTABLE_NOT_HELD": "A thing is used that was put away and not got again since.",
    "DUP_GET_NO_PUT": "A thing is got again within a few steps, without having been put down.",
    "USE_AFTER_DISPOSE": "A thing is used after it was thrown away.",
}


def find(code: str, case: Case) -> Faults:
    for item in case.contradictions.get(code, ()):
        row = case.rows[item.position]
        yield Fault(item.position, item.detail, row.event_id, item.entity)


CHECKS = tuple(
    Check(code, FindingSeverity.SOFT, condition, partial(find, code))
    for code, condition in CONDITIONS.items()
)
