"""Check a procedure before it is planned: faults refuse it, oddities become warnings.

Readers of files refuse most faults themselves; takes of the corpus are checked here only.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from annotation.engine.corpus.formats.errors import FormatError, Problem, problem
from annotation.engine.corpus.procedure import ReadingWarning
from generation.engine.planner.procedure_to_plan import Procedure, ProcedureStep, field_warning
from generation.engine.semrep import SemRepError, parse, unknown_roles

# Distinct representations kept; the published 50 takes have 934.
CACHED_CONDITIONS = 65_536


@dataclass(frozen=True, slots=True)
class SemRepCondition:
    """Whether a representation can be read; `fault` says why not and is empty otherwise."""

    fault: str
    is_mended: bool
    has_unknown_role: bool


@lru_cache(CACHED_CONDITIONS)
def semrep_condition(semrep: str) -> SemRepCondition:
    try:
        tree, warnings = parse(semrep)
    except SemRepError as error:
        return SemRepCondition(error.reason, is_mended=False, has_unknown_role=False)
    return SemRepCondition("", bool(warnings), bool(unknown_roles(tree)))


def checked_procedure(procedure: Procedure) -> tuple[ReadingWarning, ...]:
    """Warnings about the ids and representations of a procedure.

    Raises FormatError with every fault: a step without text, a time that is negative, not finite
    or missing its other end, an end before its start, a representation that cannot be read.
    """
    faults: list[tuple[int, str, object, str]] = []
    for index, step in enumerate(procedure.steps):
        if not step.text.strip():
            faults.append((index, "text", step.text, "a text that is not empty"))
        start_s, end_s = step.start_s, step.end_s
        for field, seconds in (("start_s", start_s), ("end_s", end_s)):
            if seconds is not None and not (math.isfinite(seconds) and seconds >= 0):
                faults.append((index, field, seconds, "seconds from 0 on"))
        if (start_s is None) != (end_s is None):
            missing = "start_s" if start_s is None else "end_s"
            faults.append((index, missing, None, "both times or neither"))
        elif start_s is not None and end_s is not None and end_s < start_s:
            faults.append((index, "end_s", end_s, f"seconds, not before start_s {start_s}"))
        if step.semrep and (reason := semrep_condition(step.semrep).fault):
            expected = f"PREDICATE(Role: value, ...); it {reason}"
            faults.append((index, "semrep", step.semrep, expected))
    if faults:
        raise FormatError([step_problem(procedure.take_uid, *fault) for fault in faults])
    nameless = [index for index, step in enumerate(procedure.steps) if not step.step_id]
    return (
        *field_warning(
            procedure.take_uid, "step_id", nameless, "none; repeats are recognised by text"
        ),
        *semrep_warnings(procedure.take_uid, procedure.steps),
    )


def step_problem(take_uid: str, index: int, field: str, value: object, expected: str) -> Problem:
    place = f"take {take_uid}, step {index}"
    return problem(file="", place=place, field=field, value=value, expected=expected)


def semrep_warnings(uid: str, steps: Sequence[ProcedureStep]) -> tuple[ReadingWarning, ...]:
    """Warnings about representations that were mended, and roles outside the table."""
    read = [
        (index, semrep_condition(step.semrep)) for index, step in enumerate(steps) if step.semrep
    ]
    mended = [index for index, condition in read if condition.is_mended]
    unknown = [index for index, condition in read if condition.has_unknown_role]
    return (
        *field_warning(
            uid, "semantic_representation", mended, "unbalanced, read as far as it goes"
        ),
        *field_warning(
            uid, "semantic_representation", unknown, "a role outside the table of roles"
        ),
    )
