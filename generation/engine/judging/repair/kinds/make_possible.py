"""Let the person open, or switch on, what the step needs open or on."""

from generation.engine.judging.case import Case
from generation.engine.judging.findings import Finding
from generation.engine.judging.repair.editing import with_action_first
from generation.engine.judging.repair.repair import Repair
from generation.engine.rewriting.rewrite import Rewrite

_ACTIONS = {"USE_WHILE_CLOSED": "Open", "HEAT_WHILE_OFF": "Turn on"}


def propose(case: Case, finding: Finding) -> Rewrite | None:
    return with_action_first(case, finding, _ACTIONS[finding.code])


REPAIR = Repair(name="make_possible", codes=frozenset(_ACTIONS), propose=propose)
