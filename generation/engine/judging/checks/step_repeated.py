"""What can be done once is done once: putting away, throwing away.

Example: 'Put away the cup' stands twice, and the original has it once.
"""

from collections import Counter
from collections.abc import Iterator

from generation.engine.english.actions import actions_of
from generation.engine.english.families import Family
from generation.engine.english.words import compact_text, kin
from generation.engine.judging.case import WRITTEN_MODS, Case
from generation.engine.judging.check import Check
from generation.engine.judging.findings import Fault, FindingSeverity

_FINAL = frozenset({Family.RELEASE, Family.DISPOSE})


def find(case: Case) -> Iterator[Fault]:
    own = Counter(compact_text(text) for text in case.take.texts)
    seen: Counter[str] = Counter()
    in_hand: dict[str, int] = {}
    done_at: dict[str, int] = {}
    for position, row in enumerate(case.rows):
        if row.text is None:
            continue
        text = compact_text(row.text)
        seen[text] += 1
        actions = actions_of(row.text).actions
        final = [action for action in actions if action.family in _FINAL]
        things = [kin(head) for action in final for head in action.objects[:1]]
        is_possible = any(in_hand.get(thing, -1) > done_at.get(text, -1) for thing in things)
        is_again = row.mod in WRITTEN_MODS and seen[text] > max(1, own[text])
        if things and is_again and not is_possible:
            detail = f"{row.text!r} was done before and cannot be done again"
            yield Fault(position, detail, row.event_id)
        done_at[text] = position
        # What a step has in use can be put away after it.
        for action in actions:
            if action.family not in _FINAL:
                in_hand.update((kin(h), position) for h in (*action.objects, *action.instruments))


CHECK = Check(
    code="STEP_REPEATED",
    severity=FindingSeverity.SOFT,
    condition="A written step puts or throws away again what an equal step already did.",
    find=find,
)
