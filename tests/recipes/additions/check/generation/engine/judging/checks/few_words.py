"""A step done wrongly is told at length.

Example: a row e reads 'Drop the cup'.
"""

from collections.abc import Iterator

from annotation.engine.taxonomy import Mod
from generation.engine.judging.case import Case
from generation.engine.judging.check import Check
from generation.engine.judging.findings import Fault, FindingSeverity

LEAST_WORDS = 40


def find(case: Case) -> Iterator[Fault]:
    for position, row in enumerate(case.rows):
        if row.mod in {Mod.ERROR, Mod.INSERTION} and len((row.text or "").split()) < LEAST_WORDS:
            yield Fault(position, f"told in few words: {row.text!r}", row.event_id)


CHECK = Check(
    code="FEW_WORDS",
    severity=FindingSeverity.SOFT,
    condition="A mistake is told in fewer than forty words.",
    find=find,
)
