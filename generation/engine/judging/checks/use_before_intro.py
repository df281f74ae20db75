"""A thing that the original gets before using it is also got before it is used in the rewrite.

Example: the original starts with 'Get a knife'; the rewrite cuts with the knife and never got it.
"""

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from annotation.engine.corpus.alignment import MOVED_MODS
from generation.engine.english.actions import actions_of
from generation.engine.english.families import Family
from generation.engine.english.surface import as_words
from generation.engine.english.words import compact, kin
from generation.engine.judging.case import WRITTEN_MODS, Case
from generation.engine.judging.check import Faults, soft
from generation.engine.judging.findings import Fault
from generation.engine.judging.words import WORDS

# These actions need nothing at hand: getting, looking, waiting, moving.
_NEEDS_NOTHING = frozenset({Family.ACQUIRE, Family.LOOK, Family.WAIT, Family.MOVE})


class _First(NamedTuple):
    """The first mention of a thing: at which step, as what, and whether it is got or used there."""

    step: int
    head: str
    is_acquired: bool
    is_used: bool


@soft("A thing is used that nothing got so far, and that the original gets first of all.")
def use_before_intro(case: Case) -> Faults:
    planned = _first_mentions(tuple(case.take.texts[step] for step in case.take.planned_order))
    awaited = {
        thing: first
        for thing, first in _first_mentions(case.take.texts).items()
        if first.is_acquired and not planned[thing].is_used
    }
    mistaken = {row.old_index for _, row, _ in case.errors_in_rows}
    for position, row, text in case.shown:
        actions = [it for it in actions_of(text).actions if it.family is Family.ACQUIRE]
        got = {kin(head) for action in actions for head in action.objects}
        # Getting the container of a thing brings the thing as well.
        for thing, vessel in _origins(case.take.texts).items():
            if vessel in got:
                awaited.pop(thing, None)
        used = _used_without_getting(text)
        for head, is_acquired in _mentions(text):
            thing = kin(head)
            first = awaited.pop(thing, None)
            if first is None or is_acquired or thing not in used:
                continue
            # The original may call its kitchen knife a knife; a writer's "small bowl" is another
            # bowl.
            words, own = ({kin(word) for word in name.split("_")} for name in (head, first.head))
            is_alike = words <= own or own <= words
            if not (compact(head) == compact(first.head) if row.mod in WRITTEN_MODS else is_alike):
                continue
            # A mistake in a step that a swap moved forward may name the things of that step.
            original = () if planned[thing].is_acquired else _mentions(case.original_of(row) or "")
            if thing in {kin(mentioned) for mentioned, _ in original}:
                continue
            # A moved step stays word for word, even if a planned mistake got something else.
            if row.mod in MOVED_MODS and first.step in mistaken:
                continue
            detail = f"{as_words(first.head)} is used; the original gets it at step {first.step}"
            yield Fault(position, detail, entity=first.head)


@lru_cache(maxsize=256)
def _first_mentions(texts: tuple[str, ...]) -> dict[str, _First]:
    firsts: dict[str, _First] = {}
    for index, text in enumerate(texts):
        used = _used_without_getting(text)
        for head, is_acquired in _mentions(text):
            firsts.setdefault(kin(head), _First(index, head, is_acquired, kin(head) in used))
    return firsts


@lru_cache(maxsize=256)
def _origins(texts: tuple[str, ...]) -> dict[str, str]:
    """The things that others are got out of at their first mention, if stated (both by kin)."""
    return {
        thing: kin(action.origin.head)
        for thing, first in _first_mentions(texts).items()
        if first.is_acquired
        for action in actions_of(texts[first.step]).actions
        if action.origin is not None and thing in map(kin, action.objects)
    }


def _mentions(text: str) -> Iterator[tuple[str, bool]]:
    """Yield each thing of a step in order, and whether it is got there."""
    for action in actions_of(text).actions:
        acquired = action.objects[:1] if action.family is Family.ACQUIRE else ()
        yield from ((head, True) for head in acquired)
        yield from ((head, False) for head in action.mentioned if head not in acquired)


def _used_without_getting(text: str) -> set[str]:
    used: set[str] = set()
    for action in actions_of(text).actions:
        if action.family in _NEEDS_NOTHING or action.predicate.startswith(WORDS.from_afar):
            continue
        used.update(map(kin, action.used))
        for place in (action.destination, action.location):
            if place is not None and place.is_inside is not False:
                used.add(kin(place.head))
    return used
