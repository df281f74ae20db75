"""No step is said twice in a row, unless the original does so.

Example: an inserted step reads 'Get a bowl from the shelf' right before 'Get bowl from the shelf'.
"""

from collections.abc import Iterator
from itertools import pairwise

from generation.engine.english.words import is_near_duplicate
from generation.engine.judging.case import WRITTEN_MODS, Case
from generation.engine.judging.check import Check
from generation.engine.judging.findings import Fault, FindingSeverity


def find(case: Case) -> Iterator[Fault]:
    own = {frozenset(pair) for pair in pairwise(case.take.texts)}
    shown = [position for position, row in enumerate(case.rows) if row.text is not None]
    for earlier, position in pairwise(shown):
        first, second = case.rows[earlier], case.rows[position]
        if not {first.mod, second.mod} & WRITTEN_MODS:
            continue
        texts = (first.text or "", second.text or "")
        if frozenset(texts) in own or not is_near_duplicate(*texts):
            continue
        written = position if second.mod in WRITTEN_MODS else earlier
        detail = f"says nearly the same as the row beside it: {texts[0]!r}, {texts[1]!r}"
        yield Fault(written, detail, case.rows[written].event_id)


CHECK = Check(
    code="NEIGHBOUR_DUPLICATE",
    severity=FindingSeverity.SOFT,
    condition="A written step says nearly the same as the step right before or after it.",
    find=find,
)
