"""Planned mistakes: each happens once, where and as planned, and is visible in the text."""

from collections.abc import Iterator

from annotation.engine.corpus.alignment import MOVED_MODS
from annotation.engine.taxonomy import Mod
from generation.engine.english.actions import actions_of, heads_of
from generation.engine.english.families import Family
from generation.engine.english.surface import as_words
from generation.engine.english.words import compact, compact_text, content_words, is_near_duplicate
from generation.engine.error_types.wrong_execution import WrongExecutionSpec
from generation.engine.judging.case import WRITTEN_MODS, Case
from generation.engine.judging.check import Faults, hard, soft
from generation.engine.judging.findings import Fault
from generation.engine.judging.roles import foreign_changes, is_mutated
from generation.engine.planner.error_kind import facts_of
from generation.engine.planner.plan import PlannedError
from generation.engine.rewriting.cascades import carried_text
from generation.engine.rewriting.freeform.freeform import MAX_CORRECTIONS, MAX_ERRORS

# A writer that does a deleted step after all does it near its original place.
NEARBY_ROWS = 3


@hard("A planned mistake has no row of the kind that realises it.")
def event_missing(case: Case) -> Faults:
    """Example: the plan deletes step 9 as E01, and no row d carries E01."""
    for error in case.plan.errors:
        missing = facts_of(error).row_mods - case.mods_of(error.event_id)
        if missing:
            marks = " and ".join(sorted(missing))
            detail = f"planned {error.error_type} at step {error.step_index} has no row {marks}"
            yield Fault(None, detail, error.event_id)


@hard("The id of a planned mistake is on a second row, or on a row of another kind.")
def event_repeated(case: Case) -> Faults:
    """Example: two rows i carry E02."""
    for error in case.plan.errors:
        seen: set[Mod] = set()
        for position in case.positions_by_event.get(error.event_id, ()):
            mod = case.rows[position].mod
            if mod not in facts_of(error).row_mods:
                yield Fault(position, f"a row {mod} carries the id of a planned {error.error_type}")
            elif mod in seen:
                yield Fault(position, f"another row {mod} of {error.event_id}")
            seen.add(mod)


@hard("A planned mistake stands at another place than the planned one (or its alternates).")
def event_misplaced(case: Case) -> Faults:
    """Example: an insertion planned before step 4 stands before step 6."""
    for error in case.plan.errors:
        places = error.spec.places(error.step_index)
        for position in case.positions_by_event.get(error.event_id, ()) if places else ():
            row, slot = case.rows[position], case.slot_after[position]
            is_added = row.mod is Mod.INSERTION
            is_placed = slot == places[0] if is_added else row.old_index in places
            if is_placed or row.mod not in facts_of(error).row_mods:
                continue
            if is_added:
                detail = f"stands before step {slot}; expected {places[0]}"
            elif row.mod is Mod.DELETION:
                detail = f"is step {row.old_index}, not {places}"
            else:
                detail = f"is at step {row.old_index}; expected {places[0]}"
            yield Fault(position, detail)


@hard("The halves of a planned swap are other steps than planned, or not reversed.")
def transposition_order(case: Case) -> Faults:
    """Example: steps 3 and 6 are to be swapped, and the rows ms and mt still stand as 3, 6."""
    for error in case.plan.errors:
        positions = case.positions_by_event.get(error.event_id, ())
        sources = [case.rows[p].old_index for p in positions if case.rows[p].mod in MOVED_MODS]
        wanted = sorted(error.spec.swapped or (), reverse=True)
        if wanted and len(sources) == len(wanted) and sources != wanted:
            detail = f"the swapped steps stand as {sources}; expected {wanted}"
            yield Fault(positions[0], detail, error.event_id)


@hard("A text without a plan claims no mistake, or too many mistakes or corrections.")
def claim_count(case: Case) -> Faults:
    """Example: every row of a freeform text is marked u, so that it holds no mistake at all."""
    if not case.take.is_claimed:
        return
    # One claimed mistake of several rows is `E01`, `E01.2` and so on.
    mistakes = {event_id.partition(".")[0] for event_id in case.take.errors}
    if not 1 <= len(mistakes) <= MAX_ERRORS:
        yield Fault(None, f"{len(mistakes)} mistakes are claimed; expected 1 to {MAX_ERRORS}")
    count = sum(row.mod is Mod.CORRECTION for row in case.rows)
    if count > MAX_CORRECTIONS:
        yield Fault(None, f"{count} corrections are claimed; expected at most {MAX_CORRECTIONS}")


@hard("A deleted step is done all the same by a written row beside its place.")
def deletion_healed(case: Case) -> Faults:
    """Example: step 9 is deleted as E01, and an added row beside its place reads as step 9."""
    for position, row in enumerate(case.rows):
        original = case.original_of(row)
        if row.mod is not Mod.DELETION or original is None:
            continue
        for other in case.rows[max(0, position - NEARBY_ROWS) : position + NEARBY_ROWS + 1]:
            if other.mod not in WRITTEN_MODS - {Mod.CORRECTION} or other.text is None:
                continue
            if is_near_duplicate(other.text, original) and case.original_of(other) != original:
                detail = f"the deleted step {original!r} is done all the same: {other.text!r}"
                yield Fault(position, detail)


@hard("A wrong execution or substitution has the words of the original.")
def error_without_change(case: Case) -> Faults:
    """Example: a row e reads 'Get tissue paper from the countertop', as the original does."""
    for position, row, text in case.shown:
        original = case.original_of(row)
        is_same = original is not None and compact_text(text) == compact_text(original)
        if row.mod is Mod.ERROR and is_same:
            yield Fault(position, f"the mistake reads as the original: {text!r}")


_MistakenStep = tuple[int, PlannedError, str, str]


def _mistaken_steps(case: Case) -> Iterator[_MistakenStep]:
    """Yield position, plan, original and text of each step done wrongly or replaced."""
    for position, row, error in case.errors_in_rows:
        original = case.original_of(row)
        if original is not None and row.text is not None:
            yield position, error, original, row.text


def _changed(case: Case) -> Iterator[_MistakenStep]:
    """Yield those whose text changed; the others are findings of `ERROR_WITHOUT_CHANGE`."""
    return (it for it in _mistaken_steps(case) if compact_text(it[2]) != compact_text(it[3]))


@hard("A wrong execution does another action than the planned one.")
def predicate_changed(case: Case) -> Faults:
    """Example: 'Pour milk into the cup' becomes 'Throw milk at the cup'."""
    for position, error, original, text in _changed(case):
        before, after = actions_of(original).actions, actions_of(text).actions
        if not facts_of(error).keeps_action or not before or not after:
            continue
        # The verb of the original may still be somewhere in the text.
        verb = before[0].predicate.partition("_")[0].lower()
        written = content_words(original)
        verbs = {verb} & written or {word for word in written if word[:4] == verb[:4]}
        if verbs & content_words(text):
            continue
        families = {action.family for action in after} - {Family.OTHER}
        predicates = {action.predicate for action in after}
        if before[0].predicate not in predicates and before[0].family not in families:
            detail = f"{before[0].predicate} became {after[0].predicate}: {text!r}"
            yield Fault(position, detail)


@hard("A wrong execution leaves a role as it was that the plan changes.", needs_plan=True)
def role_not_mutated(case: Case) -> Faults:
    """Example: the plan changes the Object of 'Get a cup', and the text reads 'Get a cup fast'."""
    for position, error, original, text in _changed(case):
        if not isinstance(error.spec, WrongExecutionSpec):
            continue
        semrep = case.plan.steps[error.step_index].semrep
        for role in error.spec.mutated_roles:
            if not is_mutated(role, semrep, original, text):
                yield Fault(position, f"{role} is as in the original: {text!r}", entity=role)


@soft("A wrong execution drops a thing of a role that the plan does not change.", needs_plan=True)
def other_role_mutated(case: Case) -> Faults:
    """Example: the plan changes the Instrument of 'Cut the tomato', and the onion is cut."""
    for position, error, _, text in _mistaken_steps(case):
        if not isinstance(error.spec, WrongExecutionSpec):
            continue
        roles, step = error.spec.mutated_roles, error.step_index
        # Compare with the step after the changes of earlier mistakes, which are not this one's.
        rows = case.rows_with_valid_sources
        carried = carried_text(case.take.scene, rows, position, step, error.event_id)
        for role, head in foreign_changes(roles, case.plan.steps[step].semrep, carried, text):
            detail = f"{role} ({as_words(head)}) is gone; only {', '.join(roles)} may change"
            yield Fault(position, detail, entity=head)


@hard("A substitution keeps every word of the step it replaces and names no other thing.")
def substitution_too_close(case: Case) -> Faults:
    """Example: 'Add the sugar into a cup' for 'Add sugar into the cup'."""
    for position, error, original, text in _changed(case):
        things, own = ({compact(head) for head in heads_of(it)} for it in (text, original))
        is_of_it = content_words(original) <= content_words(text) and things <= own
        if facts_of(error).replaces_action and is_of_it:
            yield Fault(position, f"{text!r} still does {original!r}")


@hard("A substitution repeats the step right before or after it.")
def substitution_copies_step(case: Case) -> Faults:
    """Example: step 4 is replaced by the text of step 5, which then follows."""
    for position, row, error in case.errors_in_rows:
        if not facts_of(error).replaces_action or row.text is None:
            continue
        for neighbour in (position - 1, position + 1):
            text = case.rows[neighbour].text if 0 <= neighbour < len(case.rows) else None
            if text is not None and compact_text(text) == compact_text(row.text):
                detail = f"is the step at row {neighbour} once more: {text!r}"
                yield Fault(position, detail)
