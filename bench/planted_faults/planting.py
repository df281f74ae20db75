"""Faults planted in clean rewrites, to see which of them the judge finds.

A planter yields every way in which it can do its harm to a rewrite; one is drawn. Where a harm
needs a written row, the plan gets the mistake that this row realises, so that nothing but the
planted fault is wrong about it.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from annotation.engine.taxonomy import Mod
from generation.engine.error_types import insertion, substitution, wrong_execution
from generation.engine.judging.case import Case, JudgedTake
from generation.engine.judging.check import find_all
from generation.engine.planner.error_kind import ErrorKind
from generation.engine.planner.plan import Plan, PlannedError
from generation.engine.planner.planning_situation import ErrorSpec
from generation.engine.planner.taxonomy import MutationScope, Phase, Severity
from generation.engine.rewriting.rewrite import Rewrite, RewriteRow

PLANTED_ID = "P01"


@dataclass(frozen=True, slots=True)
class Planted:
    """A rewrite with one fault; `position` is its row, None where the fault is about the whole."""

    code: str
    case: Case
    position: int | None


Planter = Callable[[Case], Iterator[tuple[Case, int | None]]]


@dataclass(frozen=True, slots=True)
class Recall:
    """Of `planted` faults of a code, `found` were found; `clean` rewrites gave no false alarm."""

    code: str
    planted: int
    found: int


def plant(code: str, planter: Planter, case: Case, rng: np.random.Generator) -> Planted | None:
    """The rewrite with one fault of a code, None where it offers no place for it."""
    options = list(planter(case))
    if not options:
        return None
    harmed, position = options[int(rng.integers(len(options)))]
    return Planted(code, harmed, position)


def is_found(planted: Planted) -> bool:
    """Whether the judge finds the fault by its code and at its row."""
    return any(
        finding.code == planted.code and finding.position == planted.position
        for finding in find_all(planted.case)
    )


def plant_each(
    planters: dict[str, Planter], cases: Sequence[Case], *, per_code: int, rng: np.random.Generator
) -> Iterator[Planted]:
    """Yield up to `per_code` faults of every code, each in a rewrite drawn without repetition."""
    for code, planter in planters.items():
        count = 0
        for index in rng.permutation(len(cases)):
            planted = plant(code, planter, cases[index], rng)
            if planted is not None:
                yield planted
                count += 1
            if count == per_code:
                break


def recall_by_code(planted: Iterable[Planted]) -> dict[str, Recall]:
    """What was found of the planted faults, by code."""
    recalls: dict[str, Recall] = {}
    for fault in planted:
        known = recalls.get(fault.code, Recall(fault.code, 0, 0))
        recalls[fault.code] = Recall(
            fault.code, known.planted + 1, known.found + is_found(fault)
        )  # fmt: skip
    return recalls


def identity_case(case: Case) -> Case:
    """The take with an empty plan and every step as in the original."""
    plan = replace(case.plan, errors=(), corrections=())
    rows = tuple(
        RewriteRow(Mod.UNCHANGED, text, index) for index, text in enumerate(case.take.texts)
    )
    return Case(JudgedTake(plan), Rewrite(rows))


def with_rows(case: Case, rows: Sequence[RewriteRow]) -> Case:
    return Case(case.take, Rewrite(tuple(rows)))


def with_row(case: Case, position: int, row: RewriteRow) -> Case:
    return Case(case.take, case.rewrite.with_row(position, row))


def inserted(case: Case, position: int, text: str, *, event_id: str = PLANTED_ID) -> Case:
    """The case with a planned insertion that stands before an unchanged row."""
    row = case.rows[position]
    assert row.old_index is not None
    spec = insertion.InsertionSpec(before_step_index=row.old_index)
    added = RewriteRow(Mod.INSERTION, text, None, insertion.KIND.facts.error_type.name, event_id)
    rows = (*case.rows[:position], added, *case.rows[position:])
    plan = _with_error(case.plan, row.old_index, insertion.KIND, spec, event_id)
    return Case(JudgedTake(plan), Rewrite(rows))


def substituted(case: Case, position: int, text: str) -> Case:
    """The case with a planned substitution of an unchanged row."""
    spec = substitution.SubstitutionSpec("", None, ())
    return _changed(case, position, text, substitution.KIND, spec)


def wrongly_done(case: Case, position: int, text: str, roles: tuple[str, ...]) -> Case:
    """The case with a planned wrong execution of an unchanged row, in the given roles."""
    spec = wrong_execution.WrongExecutionSpec("", roles, dict.fromkeys(roles, MutationScope.ENTITY))
    return _changed(case, position, text, wrong_execution.KIND, spec)


def _changed(case: Case, position: int, text: str, kind: ErrorKind, spec: ErrorSpec) -> Case:
    source = case.rows[position].old_index
    assert source is not None
    name = kind.facts.error_type.name
    row = RewriteRow(Mod.ERROR, text, source, name, PLANTED_ID)
    plan = _with_error(case.plan, source, kind, spec, PLANTED_ID)
    take = JudgedTake(plan)
    return Case(take, case.rewrite.with_row(position, row))


def _with_error(plan: Plan, source: int, kind: ErrorKind, spec: ErrorSpec, event_id: str) -> Plan:
    error = PlannedError(
        event_id=event_id,
        step_index=source,
        error_type=kind.facts.error_type,
        phase=Phase.ROUTINE,
        block_name=None,
        is_essential=True,
        severity=Severity.MEDIUM,
        spec=spec,
    )
    return replace(plan, errors=(*plan.errors, error))


def unchanged_positions(case: Case) -> Iterator[int]:
    """Yield the rows of unchanged steps."""
    return (p for p, row in enumerate(case.rows) if row.mod is Mod.UNCHANGED)


def positions_of(case: Case, *mods: Mod) -> Iterator[int]:
    """Yield the rows with one of these marks."""
    return (p for p, row in enumerate(case.rows) if row.mod in mods)
