"""A substitution does something else than the step it replaces.

Example: 'Add the sugar into a cup' for 'Add sugar into the cup'.
"""

from collections.abc import Iterator

from generation.engine.english.actions import actions_of
from generation.engine.english.words import compact, compact_text, content_words
from generation.engine.judging.case import Case
from generation.engine.judging.check import Check
from generation.engine.judging.findings import Fault, FindingSeverity
from generation.engine.planner.error_kind import facts_of


def find(case: Case) -> Iterator[Fault]:
    for position, row, error in case.errors_in_rows:
        original = case.original_of(row)
        if not facts_of(error).replaces_action or original is None or row.text is None:
            continue
        if compact_text(original) == compact_text(row.text):
            # That is for `ERROR_WITHOUT_CHANGE` to say.
            continue
        names_no_other = _things(row.text) <= _things(original)
        if content_words(original) <= content_words(row.text) and names_no_other:
            detail = f"{row.text!r} still does {original!r}"
            yield Fault(position, detail, error.event_id)


def _things(text: str) -> set[str]:
    return {compact(head) for action in actions_of(text).actions for head in action.mentioned}


CHECK = Check(
    code="SUBSTITUTION_TOO_CLOSE",
    severity=FindingSeverity.HARD,
    condition="A substitution keeps every word of the step it replaces and names no other thing.",
    find=find,
)
