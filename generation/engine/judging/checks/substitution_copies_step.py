"""A substitution is no copy of the step right before or after it.

Example: step 4 is replaced by the text of step 5, which then follows.
"""

from collections.abc import Iterator

from generation.engine.english.words import compact_text
from generation.engine.judging.case import Case
from generation.engine.judging.check import Check
from generation.engine.judging.findings import Fault, FindingSeverity
from generation.engine.planner.error_kind import facts_of


def find(case: Case) -> Iterator[Fault]:
    for position, row, error in case.errors_in_rows:
        if not facts_of(error).replaces_action or row.text is None:
            continue
        for neighbour in (position - 1, position + 1):
            if not 0 <= neighbour < len(case.rows):
                continue
            text = case.rows[neighbour].text
            if text is not None and compact_text(text) == compact_text(row.text):
                detail = f"is the step at row {neighbour} once more: {text!r}"
                yield Fault(position, detail, error.event_id)


CHECK = Check(
    code="SUBSTITUTION_COPIES_STEP",
    severity=FindingSeverity.HARD,
    condition="A substitution repeats the step right before or after it.",
    find=find,
)
