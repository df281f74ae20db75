"""Name the place at which a thing is, where a step names the one at which it was meant to be."""

from generation.engine.english.words import names
from generation.engine.judging.case import Case
from generation.engine.judging.findings import Finding
from generation.engine.judging.repair.editing import as_consequence, cause_of
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
    event_id = cause_of(case, finding.position, lambda text: names(text, thing))
    changed = as_consequence(row, text, event_id)
    return None if changed is None else case.rewrite.with_row(finding.position, changed)


REPAIR = Repair(
    name="name_where_it_is",
    codes=frozenset({"LOCATION_MISMATCH", "LOCATION_MISMATCH_ON_GET"}),
    propose=propose,
)
