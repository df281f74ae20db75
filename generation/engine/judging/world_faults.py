"""The contradictions of a rewrite's world as faults of one check."""

from collections.abc import Iterator

from generation.engine.judging.case import Case
from generation.engine.judging.findings import Fault


def world_faults(case: Case, code: str) -> Iterator[Fault]:
    """Yield what the simulator found under a code and the writer is answerable for."""
    for found in case.contradictions.get(code, ()):
        row = case.rows[found.position]
        yield Fault(found.position, found.detail, row.event_id, found.entity)
