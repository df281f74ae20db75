"""A correction does something.

Example: 'Continue with the next step' repairs nothing.
"""

from collections.abc import Iterator

from annotation.engine.taxonomy import Mod
from generation.engine.english.words import words_of
from generation.engine.judging.case import Case
from generation.engine.judging.check import Check
from generation.engine.judging.findings import Fault, FindingSeverity

MIN_WORDS = 3
_OPENINGS = (
    ("continue",), ("proceed",), ("carry", "on"), ("go", "on"), ("keep", "going"), ("move", "on"),
    ("next",), ("resume",), ("then", "continue"), ("never", "mind"), ("do", "nothing"),
)  # fmt: skip


def find(case: Case) -> Iterator[Fault]:
    for position, row in enumerate(case.rows):
        if row.mod is not Mod.CORRECTION or row.text is None:
            continue
        words = words_of(row.text)
        opening = next((o for o in _OPENINGS if words[: len(o)] == o), None)
        if len(words) < MIN_WORDS or opening is not None:
            yield Fault(position, f"repairs nothing: {row.text!r}", row.event_id)


CHECK = Check(
    code="CORRECTION_FILLER",
    severity=FindingSeverity.HARD,
    condition="A correction has fewer than three words or only says that one goes on.",
    find=find,
)
