"""Unchanged and moved steps are word for word the original.

Example: a row u reads 'Get the spoon' where the original has 'Get a spoon'.
"""

from collections.abc import Iterator

from generation.engine.judging.case import VERBATIM_MODS, Case
from generation.engine.judging.check import Check
from generation.engine.judging.findings import Fault, FindingSeverity


def find(case: Case) -> Iterator[Fault]:
    for position, row in enumerate(case.rows):
        original = case.original_of(row)
        if row.mod in VERBATIM_MODS and original is not None and row.text != original:
            detail = f"a row {row.mod} reads {row.text!r}; the original has {original!r}"
            yield Fault(position, detail, row.event_id)


CHECK = Check(
    code="NOT_VERBATIM",
    severity=FindingSeverity.HARD,
    condition="An unchanged or moved step differs from the original text.",
    find=find,
)
