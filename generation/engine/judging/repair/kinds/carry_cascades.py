"""Carry what a mistake replaced or moved through the later steps."""

from generation.engine.judging.case import Case
from generation.engine.judging.findings import Finding
from generation.engine.judging.repair.repair import Repair
from generation.engine.rewriting.cascades import apply_cascades
from generation.engine.rewriting.rewrite import Rewrite


def propose(case: Case, finding: Finding) -> Rewrite | None:
    if finding.event_id is None or case.known_rows != case.rows:
        return None
    return apply_cascades(case.take.scene, case.rewrite, finding.event_id)


REPAIR = Repair(name="carry_cascades", codes=frozenset({"CASCADE_MISSING"}), propose=propose)
