"""A row that follows from a mistake differs from its original.

Example: a row a reads 'Tighten the brake cable', as the original does.
"""

from collections.abc import Iterator

from annotation.engine.taxonomy import Mod
from generation.engine.judging.case import Case
from generation.engine.judging.check import Check
from generation.engine.judging.findings import Fault, FindingSeverity


def find(case: Case) -> Iterator[Fault]:
    for position, row in enumerate(case.rows):
        if row.mod is Mod.CASCADE and row.text == case.original_of(row):
            detail = f"marked as a consequence of {row.event_id} and reads as the original"
            yield Fault(position, detail, row.event_id)


CHECK = Check(
    code="CASCADE_WITHOUT_CHANGE",
    severity=FindingSeverity.SOFT,
    condition="A row is marked as a consequence of a mistake and reads as the original.",
    find=find,
)
