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
from generation.engine.planner.plan import PlannedCorrection
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
        made_at = case.positions_by_event.get(correction.target_event_id, ())
        extra = [case.rows[p].text or "" for p in made_at if case.rows[p].mod is Mod.INSERTION]
        undoes = any(content_words(text) & content_words(other) for other in extra)
        concerned = _texts(case, correction)
        if concerned and not undoes and not any(_speaks_of(text, o) for o in concerned):
            detail = f"{text!r} names nothing that the mistake is about: {concerned[0]!r}"
            yield Fault(positions[0], detail, correction.target_event_id)


def _texts(case: Case, correction: PlannedCorrection) -> list[str]:
    """What the person meant to do and what they did instead."""
    sources: list[int | None] = [correction.redo_step_index]
    error = case.take.errors.get(correction.target_event_id)
    if error is not None:
        sources.extend(error.spec.swapped or (error.step_index,))
    known = [source for source in sources if source is not None]
    texts = [case.take.texts[source] for source in known]
    # Other mistakes may have changed the things of the steps by then.
    position = case.positions_by_correction[correction.correction_id][0]
    scene, event_id = case.take.scene, correction.target_event_id
    texts += [carried_text(scene, case.known_rows, position, s, event_id) for s in known]
    positions = case.positions_by_event.get(event_id, ())
    return texts + [text for p in positions if (text := case.rows[p].text) is not None]


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
