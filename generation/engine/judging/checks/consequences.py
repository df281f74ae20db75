"""The consequences of a mistake: they come later, differ from the original, and are complete."""

from annotation.engine.taxonomy import Mod
from generation.engine.english.actions import actions_of
from generation.engine.english.surface import as_words
from generation.engine.english.words import kin, mentions
from generation.engine.judging.case import Case
from generation.engine.judging.check import Faults, hard, soft
from generation.engine.judging.findings import Fault
from generation.engine.rewriting.cascades import CascadeRule, missing_cascades


@hard("A row is marked as a consequence of a mistake that happens later.")
def cascade_before_cause(case: Case) -> Faults:
    """Example: a row a of E02 stands at step 5, and E02 happens at step 9."""
    for position, row in enumerate(case.rows):
        if row.mod is not Mod.CASCADE or row.event_id is None:
            continue
        causes = case.positions_by_event.get(row.event_id, ())
        if causes and causes[0] > position:
            detail = f"follows from {row.event_id}, which happens later, at row {causes[0]}"
            yield Fault(position, detail)


@soft("A row is marked as a consequence of a mistake and reads as the original.")
def cascade_without_change(case: Case) -> Faults:
    """Example: a row a reads 'Tighten the brake cable', as the original does."""
    for position, row in enumerate(case.rows):
        if row.mod is Mod.CASCADE and row.text == case.original_of(row):
            detail = f"marked as a consequence of {row.event_id} and reads as the original"
            yield Fault(position, detail)


@soft("A later step still names what a mistake replaced or moved.")
def cascade_missing(case: Case) -> Faults:
    """Example: a bell pepper was got instead of the cucumber, and then 'Wash cucumber' follows.

    A row that names both the new and the old thing takes the mistake into account; if it moves the
    thing to its place, later steps find it there.
    """
    for _, row, error in case.errors_in_rows:
        if case.original_of(row) is None:
            continue
        step = case.take.texts[error.step_index]
        origins = [action.origin for action in actions_of(step).actions]
        # Getting the container instead of the tomato in it brings the tomato too.
        brought = {kin(origin.head) for origin in origins if origin is not None}
        for missing in missing_cascades(
            case.take.scene, case.rows_with_valid_sources, error.event_id
        ):
            if kin(missing.new_head) in brought:
                continue
            if mentions(case.rows[missing.position].text or "", missing.new_head):
                if missing.rule is CascadeRule.PLACE:
                    break
                continue
            old, new = as_words(missing.old_head), as_words(missing.new_head)
            detail = f"names {old}; after {error.event_id} it is {new} ({missing.rule})"
            yield Fault(missing.position, detail, error.event_id, entity=missing.old_head)
