"""What follows from a mistake is carried through the later steps.

Example: a bell pepper was got instead of the cucumber, and a later step reads 'Wash cucumber'.
"""

from collections.abc import Iterator

from generation.engine.judging.case import Case
from generation.engine.judging.check import Check
from generation.engine.judging.findings import Fault, FindingSeverity
from generation.engine.rewriting.cascades import missing_cascades
from generation.engine.rewriting.surface import as_words


def find(case: Case) -> Iterator[Fault]:
    for _, row, error in case.errors_in_rows:
        if row.old_index is None or row.old_index >= len(case.take.texts):
            continue
        for missing in missing_cascades(case.take.scene, case.rows, error.event_id):
            old, new = as_words(missing.old_head), as_words(missing.new_head)
            detail = f"names {old}; after {error.event_id} it is {new} ({missing.rule})"
            yield Fault(missing.position, detail, error.event_id, entity=missing.old_head)


CHECK = Check(
    code="CASCADE_MISSING",
    severity=FindingSeverity.SOFT,
    condition="A later step still names what a mistake replaced or moved.",
    find=find,
)
