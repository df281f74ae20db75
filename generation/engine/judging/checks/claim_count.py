"""A text without a plan claims one to three mistakes and at most two corrections.

Example: every row of a freeform text is marked u, so that it holds no mistake at all.
"""

from collections.abc import Iterator

from annotation.engine.taxonomy import Mod
from generation.engine.judging.case import Case
from generation.engine.judging.check import Check
from generation.engine.judging.findings import Fault, FindingSeverity
from generation.engine.rewriting.freeform import MAX_CORRECTIONS, MAX_ERRORS


def find(case: Case) -> Iterator[Fault]:
    if not case.take.is_claimed:
        return
    # One claimed mistake of several rows is `E01`, `E01.2` and so on.
    mistakes = {event_id.partition(".")[0] for event_id in case.take.errors}
    if not 1 <= len(mistakes) <= MAX_ERRORS:
        yield Fault(None, f"{len(mistakes)} mistakes are claimed; expected 1 to {MAX_ERRORS}")
    count = sum(row.mod is Mod.CORRECTION for row in case.rows)
    if count > MAX_CORRECTIONS:
        yield Fault(None, f"{count} corrections are claimed; expected at most {MAX_CORRECTIONS}")


CHECK = Check(
    code="CLAIM_COUNT",
    severity=FindingSeverity.HARD,
    condition="A text without a plan claims no mistake, or too many mistakes or corrections.",
    find=find,
)
