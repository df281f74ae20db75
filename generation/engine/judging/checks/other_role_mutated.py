"""A wrong execution leaves the other roles as they are.

Example: the plan changes the Instrument of 'Cut the tomato with a knife', and the onion is cut.
"""

from collections.abc import Iterator

from generation.engine.english.surface import as_words
from generation.engine.error_types.wrong_execution import WrongExecutionSpec
from generation.engine.judging.case import Case
from generation.engine.judging.check import Check
from generation.engine.judging.findings import Fault, FindingSeverity
from generation.engine.judging.roles import foreign_changes
from generation.engine.rewriting.cascades import carried_text


def find(case: Case) -> Iterator[Fault]:
    for position, row, error in case.errors_in_rows:
        original = case.original_of(row)
        if not isinstance(error.spec, WrongExecutionSpec) or original is None or row.text is None:
            continue
        semrep = case.plan.steps[error.step_index].semrep
        roles = error.spec.mutated_roles
        # What another mistake has changed by then is that mistake's own.
        original = carried_text(
            case.take.scene, case.known_rows, position, error.step_index, error.event_id
        )
        for role, head in foreign_changes(roles, semrep, original, row.text):
            detail = f"{role} ({as_words(head)}) is gone; only {', '.join(roles)} may change"
            yield Fault(position, detail, error.event_id, entity=head)


CHECK = Check(
    code="OTHER_ROLE_MUTATED",
    severity=FindingSeverity.SOFT,
    condition="A wrong execution drops a thing of a role that the plan does not change.",
    find=find,
    needs_plan=True,
)
