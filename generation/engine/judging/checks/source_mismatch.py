"""Rows of the original name an existing step, added rows name none.

Example: a row i has old index 4, or a row u has none, or a row u has 30 in a procedure of 12.
"""

from collections.abc import Iterator

from generation.engine.judging.case import ADDED_MODS, Case
from generation.engine.judging.check import Check
from generation.engine.judging.findings import Fault, FindingSeverity


def find(case: Case) -> Iterator[Fault]:
    for position, row in enumerate(case.rows):
        is_added = row.mod in ADDED_MODS
        if is_added and row.old_index is not None:
            detail = f"an added row ({row.mod}) names original step {row.old_index}"
        elif not is_added and row.old_index is None:
            detail = f"a row {row.mod} names no original step"
        elif not is_added and case.original_of(row) is None:
            last = len(case.take.texts) - 1
            detail = f"a row {row.mod} names step {row.old_index}; expected 0 to {last}"
        else:
            continue
        yield Fault(position, detail, row.event_id)


CHECK = Check(
    code="SOURCE_MISMATCH",
    severity=FindingSeverity.HARD,
    condition="A row names an original step that it cannot have, or lacks the one that it needs.",
    find=find,
)
