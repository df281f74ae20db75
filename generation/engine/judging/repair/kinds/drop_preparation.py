"""Leave out that a thing is cut, washed or otherwise prepared where nobody prepared it."""

from generation.engine.judging.case import Case
from generation.engine.judging.findings import Finding
from generation.engine.judging.repair.editing import with_consequence
from generation.engine.judging.repair.repair import Repair
from generation.engine.rewriting.rewrite import Rewrite


def propose(case: Case, finding: Finding) -> Rewrite | None:
    if finding.position is None or finding.entity is None:
        return None
    row = case.rows[finding.position]
    if row.text is None or finding.entity not in row.text.lower():
        return None
    start = row.text.lower().index(finding.entity)
    _, _, thing = finding.entity.partition(" ")
    text = row.text[:start] + thing + row.text[start + len(finding.entity) :]
    return with_consequence(case, finding.position, text, thing)


REPAIR = Repair(name="drop_preparation", codes=frozenset({"PRODUCT_NOT_MADE"}), propose=propose)
