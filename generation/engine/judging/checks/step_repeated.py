"""What can be done once is done once: putting away, throwing away.

Example: 'Put away the cup' stands twice, and the original has it once.
"""

from collections import Counter
from collections.abc import Iterator

from generation.engine.judging.actions import actions_of
from generation.engine.judging.case import WRITTEN_MODS, Case
from generation.engine.judging.check import Check
from generation.engine.judging.findings import Fault, FindingSeverity
from generation.engine.rewriting.families import Family
from generation.engine.rewriting.scene import compact_text

_FINAL = frozenset({Family.RELEASE, Family.DISPOSE})


def find(case: Case) -> Iterator[Fault]:
    own = Counter(compact_text(text) for text in case.take.texts)
    seen: Counter[str] = Counter()
    for position, row in enumerate(case.rows):
        if row.text is None:
            continue
        text = compact_text(row.text)
        seen[text] += 1
        is_final = any(action.family in _FINAL for action in actions_of(row.text).actions)
        if is_final and seen[text] > max(1, own[text]) and row.mod in WRITTEN_MODS:
            detail = f"{row.text!r} was done before and cannot be done again"
            yield Fault(position, detail, row.event_id)


CHECK = Check(
    code="STEP_REPEATED",
    severity=FindingSeverity.SOFT,
    condition="A written step puts or throws away again what an equal step already did.",
    find=find,
)
