"""What follows from a mistake is carried through the later steps.

A row that names the new thing beside the old one has taken the mistake into account; where it
moves the thing to its place, the steps after it find it there.

Example: a bell pepper was got instead of the cucumber, and a later step reads 'Wash cucumber'.
"""

from collections.abc import Iterator

from generation.engine.english.actions import actions_of
from generation.engine.english.surface import as_words
from generation.engine.english.words import kin, names
from generation.engine.judging.case import Case
from generation.engine.judging.check import Check
from generation.engine.judging.findings import Fault, FindingSeverity
from generation.engine.rewriting.cascades import CascadeRule, missing_cascades


def find(case: Case) -> Iterator[Fault]:
    for _, row, error in case.errors_in_rows:
        if case.original_of(row) is None:
            continue
        step = case.take.texts[error.step_index]
        origins = [action.origin for action in actions_of(step).actions]
        # Getting the container instead of the tomato in it brings the tomato too.
        brought = {kin(origin.head) for origin in origins if origin is not None}
        for missing in missing_cascades(case.take.scene, case.known_rows, error.event_id):
            if kin(missing.new_head) in brought:
                continue
            if names(case.rows[missing.position].text or "", missing.new_head):
                if missing.rule is CascadeRule.PLACE:
                    break
                continue
            old, new = as_words(missing.old_head), as_words(missing.new_head)
            detail = f"names {old}; after {error.event_id} it is {new} ({missing.rule})"
            yield Fault(missing.position, detail, error.event_id, entity=missing.old_head)


CHECK = Check(
    code="CASCADE_MISSING",
    severity=FindingSeverity.SOFT,
    condition="A later step still names what a mistake replaced or moved.",
    find=find,
)
