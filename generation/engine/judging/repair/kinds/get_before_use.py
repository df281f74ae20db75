"""Let the person get what is needed in the step that needs it."""

from generation.engine.judging.case import Case
from generation.engine.judging.findings import Finding
from generation.engine.judging.repair.editing import with_action_first
from generation.engine.judging.repair.repair import Repair
from generation.engine.rewriting.rewrite import Rewrite


def propose(case: Case, finding: Finding) -> Rewrite | None:
    return with_action_first(case, finding, "Get")


REPAIR = Repair(
    name="get_before_use",
    codes=frozenset({"USE_BEFORE_INTRO", "PORTABLE_NOT_HELD"}),
    propose=propose,
)
