"""A wrong execution goes wrong in the roles that the plan names.

Example: the plan changes the Object of 'Get tissue paper', and the text reads 'Get tissue paper
quickly'.
"""

from collections.abc import Iterator

from generation.engine.english.words import compact_text
from generation.engine.error_types.wrong_execution import WrongExecutionSpec
from generation.engine.judging.case import Case
from generation.engine.judging.check import Check
from generation.engine.judging.findings import Fault, FindingSeverity
from generation.engine.judging.roles import is_mutated


def find(case: Case) -> Iterator[Fault]:
    for position, row, error in case.errors_in_rows:
        original = case.original_of(row)
        if not isinstance(error.spec, WrongExecutionSpec) or original is None or row.text is None:
            continue
        if compact_text(row.text) == compact_text(original):
            # That is for `ERROR_WITHOUT_CHANGE` to say.
            continue
        semrep = case.plan.steps[error.step_index].semrep
        for role in error.spec.mutated_roles:
            if not is_mutated(role, semrep, original, row.text):
                detail = f"{role} is as in the original: {row.text!r}"
                yield Fault(position, detail, error.event_id, entity=role)


CHECK = Check(
    code="ROLE_NOT_MUTATED",
    severity=FindingSeverity.HARD,
    condition="A wrong execution leaves a role as it was that the plan changes.",
    find=find,
    needs_plan=True,
)
