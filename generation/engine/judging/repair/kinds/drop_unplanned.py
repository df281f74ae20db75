"""Take back what no plan asks for: added rows go, changed rows become the original again."""

from generation.engine.judging.case import Case
from generation.engine.judging.findings import Finding
from generation.engine.judging.repair.editing import original_row, without_row
from generation.engine.judging.repair.repair import Repair
from generation.engine.rewriting.rewrite import Rewrite


def propose(case: Case, finding: Finding) -> Rewrite | None:
    if finding.position is None:
        return None
    row = case.rows[finding.position]
    if row.old_index is None or case.original_of(row) is None:
        return without_row(case.rewrite, finding.position)
    return case.rewrite.with_row(finding.position, original_row(case.take, row.old_index))


REPAIR = Repair(
    name="drop_unplanned",
    codes=frozenset(
        ("EVENT_ID_MISSING", "EVENT_UNPLANNED", "EVENT_REPEATED", "CORRECTION_REPEATED")
    ),
    propose=propose,
)
