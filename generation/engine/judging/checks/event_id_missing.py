"""Rows that stand for an event, or follow from one, say which.

Example: a row i added by an earlier repair has no event id; a row c has no correction id.
"""

from collections.abc import Iterator

from annotation.engine.taxonomy import Mod
from generation.engine.judging.case import Case
from generation.engine.judging.check import Check
from generation.engine.judging.findings import Fault, FindingSeverity

_NEEDS_EVENT = frozenset(Mod) - {Mod.UNCHANGED, Mod.CORRECTION}


def find(case: Case) -> Iterator[Fault]:
    for position, row in enumerate(case.rows):
        if row.mod in _NEEDS_EVENT and row.event_id is None:
            yield Fault(position, f"a row {row.mod} has no event id: {row.text!r}")
        elif row.mod is Mod.CORRECTION and row.correction_id is None:
            yield Fault(position, f"a correction has no correction id: {row.text!r}", row.event_id)


CHECK = Check(
    code="EVENT_ID_MISSING",
    severity=FindingSeverity.HARD,
    condition="A row that stands for a mistake or a correction, or follows from one, has no id.",
    find=find,
)
