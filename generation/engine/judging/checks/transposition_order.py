"""The two steps of a planned swap are the planned ones, and swapped.

Example: steps 3 and 6 are to be swapped, and the rows ms and mt still stand as 3, 6.
"""

from collections.abc import Iterator

from generation.engine.judging.case import MOVED_MODS, Case
from generation.engine.judging.check import Check
from generation.engine.judging.findings import Fault, FindingSeverity


def find(case: Case) -> Iterator[Fault]:
    for error in case.plan.errors:
        if not error.spec.swapped:
            continue
        positions = case.positions_by_event.get(error.event_id, ())
        sources = [case.rows[p].old_index for p in positions if case.rows[p].mod in MOVED_MODS]
        wanted = sorted(error.spec.swapped, reverse=True)
        if len(sources) == len(wanted) and sources != wanted:
            detail = f"the swapped steps stand as {sources}; expected {wanted}"
            yield Fault(positions[0], detail, error.event_id)


CHECK = Check(
    code="TRANSPOSITION_ORDER",
    severity=FindingSeverity.HARD,
    condition="The halves of a planned swap are other steps than planned, or not reversed.",
    find=find,
)
