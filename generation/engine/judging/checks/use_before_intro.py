"""What the original acquires before it is used is acquired before it is used.

Example: the original starts with 'Get a knife'; the rewrite cuts with the knife and never got it.
"""

from collections.abc import Iterator
from functools import lru_cache

from generation.engine.english.actions import actions_of
from generation.engine.english.families import Family
from generation.engine.english.surface import as_words
from generation.engine.english.words import compact, kin
from generation.engine.judging.case import (
    MOVED_MODS,
    WRITTEN_MODS,
    Case,
    mentions_of,
)
from generation.engine.judging.check import Check
from generation.engine.judging.findings import Fault, FindingSeverity
from generation.engine.rewriting.rewrite import RewriteRow

# One gets, sees and waits for what is not at hand yet.
_NEEDS_NOTHING = frozenset({Family.ACQUIRE, Family.LOOK, Family.WAIT, Family.MOVE})
_FROM_AFAR = ("KNOCK", "LEAVE", "FORGET")


def find(case: Case) -> Iterator[Fault]:
    acquired = case.take.first_acquired
    planned = _first_uses(case.take.swapped_texts)
    named_early = _first_mentions(case.take.swapped_texts)
    seen: set[str] = set()
    for position, row in enumerate(case.rows):
        if row.text is None:
            continue
        seen |= _come_along(case, row.text)
        used = _used_without_getting(row.text)
        for head, is_acquired in mentions_of(row.text):
            thing = kin(head)
            if thing in seen:
                continue
            seen.add(thing)
            is_written = row.mod in WRITTEN_MODS
            is_meant = _is_same(head, acquired.get(thing), is_exact=is_written)
            if is_acquired or not is_meant or thing in planned:
                continue
            if thing in named_early and _is_named_in_original(case, row, thing):
                continue
            if row.mod in MOVED_MODS and _is_got_wrongly(case, acquired[thing][0]):
                continue
            if thing in acquired and thing in used:
                index, original = acquired[thing]
                detail = f"{as_words(original)} is used; the original gets it at step {index}"
                yield Fault(position, detail, row.event_id, entity=original)


def _is_got_wrongly(case: Case, source: int) -> bool:
    """Return whether a planned mistake got something else: a moved step stays verbatim."""
    return any(row.old_index == source for _, row, _ in case.errors_in_rows)


def _is_named_in_original(case: Case, row: RewriteRow, thing: str) -> bool:
    """Return whether a mistake names only what its step names, which a swap brought forward."""
    original = case.original_of(row) or ""
    return any(kin(head) == thing for head, _ in mentions_of(original))


def _come_along(case: Case, text: str) -> set[str]:
    """Return what the original gets out of something that this step gets as a whole."""
    got = {
        kin(head)
        for action in actions_of(text).actions
        if action.family is Family.ACQUIRE
        for head in action.objects
    }
    return {thing for thing, vessel in case.take.first_origins.items() if vessel in got}


def _is_same(head: str, acquired: tuple[int, str] | None, *, is_exact: bool) -> bool:
    """The original may call its kitchen knife a knife; a writer's "a small bowl" is any bowl."""
    if acquired is None:
        return False
    if is_exact:
        return compact(head) == compact(acquired[1])
    one, other = ({kin(word) for word in name.split("_")} for name in (head, acquired[1]))
    return one <= other or other <= one


def _used_without_getting(text: str) -> set[str]:
    used: set[str] = set()
    for action in actions_of(text).actions:
        if action.family in _NEEDS_NOTHING or action.predicate.startswith(_FROM_AFAR):
            continue
        used.update(map(kin, action.used))
        for place in (action.destination, action.location):
            if place is not None and place.is_inside is not False:
                used.add(kin(place.head))
    return used


@lru_cache(maxsize=256)
def _first_uses(texts: tuple[str, ...]) -> set[str]:
    """Return the things that the planned swaps alone make used before they are got."""
    seen: set[str] = set()
    used_first: set[str] = set()
    for text in texts:
        used = _used_without_getting(text)
        for head, _ in mentions_of(text):
            if kin(head) not in seen and kin(head) in used:
                used_first.add(kin(head))
            seen.add(kin(head))
    return used_first


@lru_cache(maxsize=256)
def _first_mentions(texts: tuple[str, ...]) -> set[str]:
    """Return the things that the planned swaps make named before they are got."""
    first: dict[str, bool] = {}
    for text in texts:
        for head, is_acquired in mentions_of(text):
            first.setdefault(kin(head), is_acquired)
    return {thing for thing, is_acquired in first.items() if not is_acquired}


CHECK = Check(
    code="USE_BEFORE_INTRO",
    severity=FindingSeverity.SOFT,
    condition="A thing is used that nothing got so far, and that the original gets first of all.",
    find=find,
)
