"""A step done wrongly reads differently from the step done right.

Example: a row e reads 'Get tissue paper from the countertop', as the original does.
"""

from collections.abc import Iterator

from annotation.engine.taxonomy import Mod
from generation.engine.english.words import compact_text
from generation.engine.judging.case import Case
from generation.engine.judging.check import Check
from generation.engine.judging.findings import Fault, FindingSeverity


def find(case: Case) -> Iterator[Fault]:
    for position, row in enumerate(case.rows):
        original = case.original_of(row)
        if row.mod is not Mod.ERROR or original is None or row.text is None:
            continue
        if compact_text(row.text) == compact_text(original):
            yield Fault(position, f"the mistake reads as the original: {row.text!r}", row.event_id)


CHECK = Check(
    code="ERROR_WITHOUT_CHANGE",
    severity=FindingSeverity.HARD,
    condition="A wrong execution or substitution has the words of the original.",
    find=find,
)
