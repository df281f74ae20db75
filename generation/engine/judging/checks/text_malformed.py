"""A step that somebody wrote is one line of plain words.

Example: 'Get the bell_pepper from the refrigerator' has an underscore; '' is no step.
"""

import re
from collections.abc import Iterator

from generation.engine.judging.case import WRITTEN_MODS, Case
from generation.engine.judging.check import Check
from generation.engine.judging.findings import Fault, FindingSeverity

# Underscores and brackets come from representations that leak into the text.
_LEAKED = re.compile(r"[_{}\n\r\t<>]|[A-Z_]{3,}\(")
# "the without the clay shard", "Cut cut tomato": what templates make of words they misread.
_MISJOINED = re.compile(
    r"\b(?:a|an|the) (?:with|without|in|on|at|into|onto|from|to|of)\b|\b(\w+) \1\b", re.IGNORECASE
)


def find(case: Case) -> Iterator[Fault]:
    for position, row in enumerate(case.rows):
        if row.mod not in WRITTEN_MODS or row.text is None:
            continue
        if not row.text.strip():
            yield Fault(position, "the step has no text", row.event_id)
        elif (leak := _LEAKED.search(row.text)) is not None:
            detail = f"{row.text!r} holds {leak.group()!r}; expected a line of plain words"
            yield Fault(position, detail, row.event_id)
        elif (join := _MISJOINED.search(row.text)) and not _MISJOINED.search(
            case.original_of(row) or ""
        ):
            detail = f"{row.text!r} has {join.group()!r}; expected a sentence"
            yield Fault(position, detail, row.event_id)


CHECK = Check(
    code="TEXT_MALFORMED",
    severity=FindingSeverity.HARD,
    condition="A written step is empty, no plain text, or joins words that do not join.",
    find=find,
)
