"""Name the place at which a thing is, where a step names the one at which it was meant to be."""

from generation.engine.judging.case import Case
from generation.engine.judging.findings import Finding
from generation.engine.judging.repair.editing import with_consequence
from generation.engine.judging.repair.repair import Repair
from generation.engine.rewriting.cascades import renamed
from generation.engine.rewriting.rewrite import Rewrite


def propose(case: Case, finding: Finding) -> Rewrite | None:
    if finding.position is None or finding.entity is None:
        return None
    thing, row = finding.entity, case.rows[finding.position]
    options = case.contradictions.get(finding.code, ())
    found = next((item for item in options if item.position == finding.position), None)
    if found is None or found.known_place is None or found.stated_place is None or row.text is None:
        return None
    text = renamed(row.text, found.stated_place, found.known_place, case.take.scene.domain)
    return with_consequence(case, finding.position, text, thing)


REPAIR = Repair(
    name="name_where_it_is",
    codes=frozenset({"LOCATION_MISMATCH", "LOCATION_MISMATCH_ON_GET"}),
    propose=propose,
)
