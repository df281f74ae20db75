"""After an action is done in full it is not done in part.

Example: 'Tighten the nut fully' is followed by 'Tighten the nut partially'.
"""

from collections.abc import Iterator
from itertools import pairwise

from annotation.engine.taxonomy import Mod
from generation.engine.english.actions import actions_of
from generation.engine.english.words import compact, word_set_of
from generation.engine.judging.case import WRITTEN_MODS, Case
from generation.engine.judging.check import Check
from generation.engine.judging.findings import Fault, FindingSeverity
from generation.engine.word_lists import word_set

_IN_FULL = word_set("fully completely thoroughly entirely tightly firmly")
_IN_PART = word_set("partially partly slightly loosely briefly halfway")


def find(case: Case) -> Iterator[Fault]:
    shown = [position for position, row in enumerate(case.rows) if row.text is not None]
    for earlier, position in pairwise(shown):
        first, second = case.rows[earlier], case.rows[position]
        # A correction may well have too much taken back.
        if not {first.mod, second.mod} & WRITTEN_MODS or second.mod is Mod.CORRECTION:
            continue
        earlier_text, later_text = first.text or "", second.text or ""
        is_less = word_set_of(earlier_text) & _IN_FULL and word_set_of(later_text) & _IN_PART
        if is_less and _deed(earlier_text) == _deed(later_text) is not None:
            detail = f"{second.text!r} after {first.text!r}"
            yield Fault(position, detail, second.event_id or first.event_id)


def _deed(text: str) -> tuple[str, str] | None:
    action = next(iter(actions_of(text).actions), None)
    if action is None or not action.objects:
        return None
    return action.predicate, compact(action.objects[0])


CHECK = Check(
    code="DEGREE_REVERSED",
    severity=FindingSeverity.SOFT,
    condition="A written step does in part what the step right before it did in full.",
    find=find,
)
