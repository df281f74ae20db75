"""Give a step that should be as in the original its text back."""

from dataclasses import replace

from annotation.engine.taxonomy import Mod
from generation.engine.judging.case import Case
from generation.engine.judging.findings import Finding
from generation.engine.judging.repair.editing import original_row
from generation.engine.judging.repair.repair import Repair
from generation.engine.rewriting.rewrite import Rewrite


def propose(case: Case, finding: Finding) -> Rewrite | None:
    if finding.position is None:
        return None
    row = case.rows[finding.position]
    original = case.original_of(row)
    if original is None or row.old_index is None:
        return None
    if row.mod is Mod.CASCADE:
        return case.rewrite.with_row(finding.position, original_row(case.take, row.old_index))
    return case.rewrite.with_row(finding.position, replace(row, text=original))


REPAIR = Repair(
    name="restore_text",
    codes=frozenset({"NOT_VERBATIM", "CASCADE_WITHOUT_CHANGE", "CASCADE_BEFORE_CAUSE"}),
    propose=propose,
)
