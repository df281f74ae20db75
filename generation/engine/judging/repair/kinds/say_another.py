"""Say "another" where a second thing of one name is got."""

from generation.engine.english.forms import singular
from generation.engine.english.surface import as_words
from generation.engine.english.words import spans_of, with_determiner
from generation.engine.judging.case import Case
from generation.engine.judging.findings import Finding
from generation.engine.judging.repair.editing import with_consequence
from generation.engine.judging.repair.repair import Repair
from generation.engine.rewriting.rewrite import Rewrite


def propose(case: Case, finding: Finding) -> Rewrite | None:
    if finding.position is None or finding.entity is None:
        return None
    thing, row = finding.entity, case.rows[finding.position]
    spans = spans_of(row.text or "", thing)
    if row.text is None or not spans:
        return None
    span = with_determiner(row.text, spans[0])
    text = f"{row.text[: span.start]}another {singular(as_words(thing))}{row.text[span.end :]}"
    return with_consequence(case, finding.position, text, thing)


REPAIR = Repair(
    name="say_another",
    codes=frozenset({"DUP_GET_NO_PUT", "USE_AFTER_DISPOSE"}),
    propose=propose,
)
