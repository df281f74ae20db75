"""A substitution does something else than the step it replaces.

Example: 'Add the sugar into a cup' for 'Add sugar into the cup'.
"""

from collections.abc import Iterator

from annotation.engine.taxonomy import ErrorType
from generation.engine.judging.case import Case
from generation.engine.judging.check import Check
from generation.engine.judging.findings import Fault, FindingSeverity
from generation.engine.judging.wording import content_words


def find(case: Case) -> Iterator[Fault]:
    for position, row, error in case.errors_in_rows:
        original = case.original_of(row)
        if error.error_type is not ErrorType.SUBSTITUTION or original is None or row.text is None:
            continue
        before, after = content_words(original), content_words(row.text)
        if before <= after:
            detail = f"{row.text!r} still does {original!r}"
            yield Fault(position, detail, error.event_id)


CHECK = Check(
    code="SUBSTITUTION_TOO_CLOSE",
    severity=FindingSeverity.HARD,
    condition="A substitution keeps every word of the step that it replaces.",
    find=find,
)
