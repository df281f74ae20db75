"""Let the person get what is needed in the step that needs it."""

from generation.engine.english.surface import as_words, definite, in_style_of, lower_first
from generation.engine.judging.case import Case
from generation.engine.judging.findings import Finding
from generation.engine.judging.repair.editing import with_consequence
from generation.engine.judging.repair.repair import Repair
from generation.engine.rewriting.rewrite import Rewrite


def propose(case: Case, finding: Finding) -> Rewrite | None:
    if finding.position is None or finding.entity is None:
        return None
    thing, row = finding.entity, case.rows[finding.position]
    if row.text is None:
        return None
    text = f"Get {definite(as_words(thing))} and {lower_first(row.text)}"
    return with_consequence(case, finding.position, in_style_of(text, row.text), thing)


REPAIR = Repair(
    name="get_before_use",
    codes=frozenset({"USE_BEFORE_INTRO", "PORTABLE_NOT_HELD"}),
    propose=propose,
)
