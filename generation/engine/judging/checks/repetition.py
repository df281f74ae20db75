"""Steps that are repeated, or done less fully than before, without a reason."""

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise

from annotation.engine.taxonomy import Mod
from generation.engine.english.actions import actions_of
from generation.engine.english.families import Family
from generation.engine.english.words import (
    compact,
    compact_text,
    is_near_duplicate,
    kin,
    word_set_of,
)
from generation.engine.judging.case import WRITTEN_MODS, Case
from generation.engine.judging.check import Faults, soft
from generation.engine.judging.findings import Fault
from generation.engine.judging.words import WORDS
from generation.engine.rewriting.rewrite import RewriteRow

_FINAL = frozenset({Family.RELEASE, Family.DISPOSE})
_Shown = tuple[int, RewriteRow, str]


def _neighbours(case: Case) -> Iterator[tuple[_Shown, _Shown]]:
    """Yield position, row and text of two consecutive steps, at least one of them written."""
    return (two for two in pairwise(case.shown) if {two[0][1].mod, two[1][1].mod} & WRITTEN_MODS)


@soft("A written step says nearly the same as the step right before or after it.")
def neighbour_duplicate(case: Case) -> Faults:
    """Example: an inserted 'Get a bowl from the shelf' right before 'Get bowl from the shelf'."""
    own = {frozenset(pair) for pair in pairwise(case.take.texts)}
    for (earlier, _, first), (position, row, second) in _neighbours(case):
        if frozenset((first, second)) in own or not is_near_duplicate(first, second):
            continue
        written = position if row.mod in WRITTEN_MODS else earlier
        detail = f"says nearly the same as the row beside it: {first!r}, {second!r}"
        yield Fault(written, detail)


@soft("A written step does in part what the step right before it did in full.")
def degree_reversed(case: Case) -> Faults:
    """Example: 'Tighten the nut fully' is followed by 'Tighten the nut partially'."""
    for (_, before, first), (position, row, second) in _neighbours(case):
        is_less = word_set_of(first) & WORDS.in_full and word_set_of(second) & WORDS.in_part
        # A correction may well undo a part of something.
        if is_less and row.mod is not Mod.CORRECTION and _deed(first) == _deed(second) is not None:
            yield Fault(position, f"{second!r} after {first!r}", row.event_id or before.event_id)


def _deed(text: str) -> tuple[str, str] | None:
    action = next(iter(actions_of(text).actions), None)
    if action is None or not action.objects:
        return None
    return action.predicate, compact(action.objects[0])


@soft("A written step puts or throws away again what an equal step already did.")
def step_repeated(case: Case) -> Faults:
    """Example: 'Put away the cup' stands twice, and the original has it once."""
    own = Counter(compact_text(text) for text in case.take.texts)
    seen: Counter[str] = Counter()
    in_hand: dict[str, int] = {}
    done_at: dict[str, int] = {}
    for position, row, step in case.shown:
        text = compact_text(step)
        seen[text] += 1
        actions = actions_of(step).actions
        final = [action for action in actions if action.family in _FINAL]
        things = [kin(head) for action in final for head in action.objects[:1]]
        is_possible = any(in_hand.get(thing, -1) > done_at.get(text, -1) for thing in things)
        is_again = row.mod in WRITTEN_MODS and seen[text] > max(1, own[text])
        if things and is_again and not is_possible:
            yield Fault(position, f"{step!r} was done before and cannot be done again")
        done_at[text] = position
        # A thing that a step uses can be put away again after it.
        for action in actions:
            if action.family not in _FINAL:
                in_hand.update((kin(h), position) for h in (*action.objects, *action.instruments))
