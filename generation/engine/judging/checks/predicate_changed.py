"""A wrong execution does the planned action, only wrongly.

Example: 'Pour milk into the cup' becomes 'Throw milk at the cup'.
"""

from collections.abc import Iterator

from generation.engine.english.actions import actions_of
from generation.engine.english.families import Family
from generation.engine.english.words import content_words
from generation.engine.judging.case import Case
from generation.engine.judging.check import Check
from generation.engine.judging.findings import Fault, FindingSeverity
from generation.engine.planner.error_kind import facts_of


def find(case: Case) -> Iterator[Fault]:
    for position, row, error in case.errors_in_rows:
        original = case.original_of(row)
        if not facts_of(error).keeps_action or original is None or not row.text:
            continue
        before, after = actions_of(original).actions, actions_of(row.text).actions
        if not before or not after:
            continue
        # The verb of the original may still stand in the text, somewhere.
        verb = before[0].predicate.partition("_")[0].lower()
        written = content_words(original)
        verbs = {verb} & written or {word for word in written if word[:4] == verb[:4]}
        if verbs & content_words(row.text):
            continue
        families = {action.family for action in after} - {Family.OTHER}
        predicates = {action.predicate for action in after}
        if before[0].predicate not in predicates and before[0].family not in families:
            detail = f"{before[0].predicate} became {after[0].predicate}: {row.text!r}"
            yield Fault(position, detail, error.event_id)


CHECK = Check(
    code="PREDICATE_CHANGED",
    severity=FindingSeverity.HARD,
    condition="A wrong execution does another action than the planned one.",
    find=find,
)
