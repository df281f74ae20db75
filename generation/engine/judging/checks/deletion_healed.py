"""A step that was left out is not said again in other rows.

Example: step 9 is deleted as E01, and an added row beside its place reads as step 9.
"""

from collections.abc import Iterator

from annotation.engine.taxonomy import Mod
from generation.engine.english.words import is_near_duplicate
from generation.engine.judging.case import WRITTEN_MODS, Case
from generation.engine.judging.check import Check
from generation.engine.judging.findings import Fault, FindingSeverity

# A writer that heals a deletion does so beside the place where the step was.
NEARBY_ROWS = 3


def find(case: Case) -> Iterator[Fault]:
    for position, row in enumerate(case.rows):
        original = case.original_of(row)
        if row.mod is not Mod.DELETION or original is None:
            continue
        nearby = range(max(0, position - NEARBY_ROWS), position + NEARBY_ROWS + 1)
        for other in (case.rows[index] for index in nearby if index < len(case.rows)):
            if other.mod is Mod.CORRECTION or other.mod not in WRITTEN_MODS or other.text is None:
                continue
            told = case.original_of(other)
            if is_near_duplicate(other.text, original) and told != original:
                detail = f"the deleted step {original!r} is done all the same: {other.text!r}"
                yield Fault(position, detail, row.event_id)


CHECK = Check(
    code="DELETION_HEALED",
    severity=FindingSeverity.HARD,
    condition="A deleted step is done all the same by a written row beside its place.",
    find=find,
)
