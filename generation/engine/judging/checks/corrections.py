"""Planned corrections: each happens once, where the mistake is noticed, and repairs it."""

from annotation.engine.taxonomy import Mod
from generation.engine.english.actions import actions_of, heads_of
from generation.engine.english.instructions import core_of
from generation.engine.english.words import content_words, kin, words_of
from generation.engine.judging.case import Case
from generation.engine.judging.check import Faults, hard
from generation.engine.judging.findings import Fault
from generation.engine.judging.words import WORDS
from generation.engine.rewriting.cascades import carried_text

MIN_WORDS = 3
_OPENINGS = tuple(tuple(opening.split()) for opening in WORDS.going_on)


@hard("A planned correction has no row.")
def correction_missing(case: Case) -> Faults:
    """Example: the plan has correction u-1_corr_0, and no row c carries it."""
    for name, correction in case.take.corrections.items():
        if name not in case.positions_by_correction:
            event_id = correction.target_event_id
            yield Fault(None, f"correction {name} of {event_id} has no row", event_id)


@hard("A planned correction has more than one row.")
def correction_repeated(case: Case) -> Faults:
    """Example: two rows c carry u-1_corr_0."""
    for name, positions in case.positions_by_correction.items():
        for position in positions[1:]:
            yield Fault(position, f"correction {name} has a row already, at {positions[0]}")


@hard("A correction precedes its mistake or stands elsewhere than where it is noticed.")
def correction_misplaced(case: Case) -> Faults:
    """Example: the mistake is noticed after step 3, and the correction stands after step 5."""
    for position, correction in case.corrections_in_rows:
        wanted, event_id = correction.detect_at_step_index, correction.target_event_id
        mistaken = case.positions_by_event.get(event_id, ())
        # A swap is a mistake as soon as the first of its two steps is done.
        if mistaken and mistaken[0] > position:
            yield Fault(position, f"stands before its mistake {event_id}", event_id)
        # Only a plan says when a mistake is noticed.
        elif not case.take.is_claimed and case.slot_before[position] != wanted:
            detail = f"stands after step {case.slot_before[position]}; expected {wanted}"
            yield Fault(position, detail, event_id)


@hard("A correction names nothing that the mistaken step was, or should have been, about.")
def correction_unrelated(case: Case) -> Faults:
    """Example: celery was cut wrongly, and the correction reads 'Cut scallion on the board'."""
    for position, correction in case.corrections_in_rows:
        text, event_id = case.rows[position].text or "", correction.target_event_id
        if not WORDS.pronouns.isdisjoint(words_of(text)):
            continue
        # One common word with an extra step is enough, since it may be about several things.
        mistaken = [case.rows[at] for at in case.positions_by_event.get(event_id, ())]
        extra = [row.text or "" for row in mistaken if row.mod is Mod.INSERTION]
        undoes = any(content_words(text) & content_words(other) for other in extra)
        # The texts of what the person should have done, and of what they did instead.
        error = case.take.errors.get(event_id)
        correct = () if error is None else error.spec.swapped or (error.step_index,)
        steps = [step for step in (correction.redo_step_index, *correct) if step is not None]
        concerned = [case.take.texts[step] for step in steps]
        # By then, other mistakes may have changed the things in these steps.
        place = case.take.scene, case.rows_with_valid_sources, position
        concerned += [carried_text(*place, step, event_id) for step in steps]
        concerned += [row.text for row in mistaken if row.text is not None]
        if concerned and not undoes and not any(_speaks_of(text, o) for o in concerned):
            detail = f"{text!r} names nothing that the mistake is about: {concerned[0]!r}"
            yield Fault(position, detail, event_id)


def _speaks_of(text: str, other: str) -> bool:
    """Whether the text names the thing that the other step acts on."""
    core = core_of(other)
    objects = [head for action in actions_of(core).actions for head in action.objects[:1]]
    if not objects:
        return bool(content_words(text) & content_words(other))
    words = {kin(word) for word in content_words(text)}
    return any(kin(head) in words | {kin(named) for named in heads_of(text)} for head in objects)


@hard("A correction has fewer than three words or only says that one goes on.")
def correction_filler(case: Case) -> Faults:
    """Example: 'Continue with the next step' repairs nothing."""
    for position, row, text in case.shown:
        words = words_of(text)
        is_empty = len(words) < MIN_WORDS or any(words[: len(it)] == it for it in _OPENINGS)
        if row.mod is Mod.CORRECTION and is_empty:
            yield Fault(position, f"repairs nothing: {text!r}")
