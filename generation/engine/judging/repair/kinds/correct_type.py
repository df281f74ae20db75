"""Write the type on a row that its mark and its plan ask for."""

from dataclasses import replace

from generation.engine.judging.case import Case
from generation.engine.judging.checks.rows import wanted_error_type
from generation.engine.judging.findings import Finding
from generation.engine.judging.repair.repair import Repair
from generation.engine.rewriting.rewrite import Rewrite


def propose(case: Case, finding: Finding) -> Rewrite | None:
    if finding.position is None:
        return None
    row = case.rows[finding.position]
    fixed = replace(row, error_type=wanted_error_type(case, row))
    return case.rewrite.with_row(finding.position, fixed)


REPAIR = Repair(name="correct_type", codes=frozenset({"ERROR_TYPE_MISMATCH"}), propose=propose)
