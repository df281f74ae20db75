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

# One gets, sees and waits for what is not at hand yet.
_NEEDS_NOTHING = frozenset({Family.ACQUIRE, Family.LOOK, Family.WAIT, Family.MOVE})
_FROM_AFAR = ("KNOCK", "LEAVE", "FORGET")


def find(case: Case) -> Iterator[Fault]:
    acquired = case.take.first_acquired
    planned, named_early = _first_uses(case.take.swapped_texts)
    seen: set[str] = set()
    for position, row in enumerate(case.rows):
        if row.text is None:
            continue
        got = {
            kin(head)
            for action in actions_of(row.text).actions
            if action.family is Family.ACQUIRE
            for head in action.objects
        }
        # What the original gets out of something comes along with the whole of it.
        seen.update(thing for thing, vessel in case.take.first_origins.items() if vessel in got)
        used = _used_without_getting(row.text)
        for head, is_acquired in mentions_of(row.text):
            thing = kin(head)
            if thing in seen:
                continue
            seen.add(thing)
            if is_acquired or thing not in acquired or thing not in used or thing in planned:
                continue
            index, original = acquired[thing]
            # The original may call its kitchen knife a knife; a writer's "a small bowl" is any.
            one, other = ({kin(word) for word in name.split("_")} for name in (head, original))
            is_alike = one <= other or other <= one
            if not (compact(head) == compact(original) if row.mod in WRITTEN_MODS else is_alike):
                continue
            # A mistake may name only what its step names, which a swap brought forward.
            own = mentions_of(case.original_of(row) or "") if thing in named_early else ()
            if thing in {kin(mentioned) for mentioned, _ in own}:
                continue
            # A planned mistake got something else: a moved step stays as it is, word for word.
            if row.mod in MOVED_MODS and any(
                r.old_index == index for _, r, _ in case.errors_in_rows
            ):
                continue
            detail = f"{as_words(original)} is used; the original gets it at step {index}"
            yield Fault(position, detail, row.event_id, entity=original)


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
def _first_uses(texts: tuple[str, ...]) -> tuple[set[str], set[str]]:
    """The things that the planned swaps alone make used, and named, before they are got."""
    seen: dict[str, bool] = {}
    used_first: set[str] = set()
    for text in texts:
        used = _used_without_getting(text)
        for head, is_acquired in mentions_of(text):
            if kin(head) not in seen and kin(head) in used:
                used_first.add(kin(head))
            seen.setdefault(kin(head), is_acquired)
    return used_first, {thing for thing, is_acquired in seen.items() if not is_acquired}


CHECK = Check(
    code="USE_BEFORE_INTRO",
    severity=FindingSeverity.SOFT,
    condition="A thing is used that nothing got so far, and that the original gets first of all.",
    find=find,
)
