"""A correction repairs the mistake that it is planned for.

Example: the celery was cut wrongly, and the correction reads 'Cut scallion on the chopping board'.
"""

from collections.abc import Iterator

from annotation.engine.taxonomy import Mod
from generation.engine.english.actions import actions_of
from generation.engine.english.instructions import core_of
from generation.engine.english.words import content_words, kin, words_of
from generation.engine.judging.case import Case
from generation.engine.judging.check import Check
from generation.engine.judging.findings import Fault, FindingSeverity
from generation.engine.rewriting.cascades import carried_text
from generation.engine.word_lists import word_set

_PRONOUNS = word_set("it them one ones")


def find(case: Case) -> Iterator[Fault]:
    for correction_id, positions in case.positions_by_correction.items():
        correction = case.take.corrections.get(correction_id)
        if correction is None:
            continue
        text = case.rows[positions[0]].text or ""
        if any(word in _PRONOUNS for word in words_of(text)):
            continue
        # A word of an extra step is enough: that one may be about several things.
        event_id = correction.target_event_id
        made = [case.rows[position] for position in case.positions_by_event.get(event_id, ())]
        extra = [row.text or "" for row in made if row.mod is Mod.INSERTION]
        undoes = any(content_words(text) & content_words(other) for other in extra)
        # What the person meant to do and what they did instead.
        error = case.take.errors.get(event_id)
        meant = () if error is None else error.spec.swapped or (error.step_index,)
        steps = [step for step in (correction.redo_step_index, *meant) if step is not None]
        concerned = [case.take.texts[step] for step in steps]
        # Other mistakes may have changed the things of the steps by then.
        seen = case.take.scene, case.known_rows, positions[0]
        concerned += [carried_text(*seen, step, event_id) for step in steps]
        concerned += [row.text for row in made if row.text is not None]
        if concerned and not undoes and not any(_speaks_of(text, o) for o in concerned):
            detail = f"{text!r} names nothing that the mistake is about: {concerned[0]!r}"
            yield Fault(positions[0], detail, event_id)


def _speaks_of(text: str, other: str) -> bool:
    """Whether the text names the thing that the other step acts on."""
    core = core_of(other)
    objects = [head for action in actions_of(core).actions for head in action.objects[:1]]
    if not objects:
        return bool(content_words(text) & content_words(other))
    said = {kin(word) for word in content_words(text)}
    named = {kin(head) for action in actions_of(text).actions for head in action.mentioned}
    return any(kin(head) in said | named for head in objects)


CHECK = Check(
    code="CORRECTION_UNRELATED",
    severity=FindingSeverity.HARD,
    condition="A correction names nothing that the mistaken step was, or should have been, about.",
    find=find,
)
