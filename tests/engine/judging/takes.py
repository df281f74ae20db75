"""Small takes and rewrites for the tests of the judge."""

from dataclasses import replace

from annotation.engine.taxonomy import ErrorType, Mod
from generation.engine.english.analyser import analyse
from generation.engine.judging.case import Case, JudgedTake
from generation.engine.judging.check import all_checks
from generation.engine.judging.judging import judge
from generation.engine.judging.reading import Submission
from generation.engine.planner.error_kind import error_kinds
from generation.engine.planner.plan import (
    Plan,
    PlannedCorrection,
    PlannedError,
    PlannedStep,
    ProcedureStatistics,
)
from generation.engine.planner.procedure_to_plan import Procedure, ProcedureStep
from generation.engine.planner.taxonomy import CorrectionType, MutationScope, Phase, Severity
from generation.engine.rewriting.rewrite import Rewrite, RewriteRow

NO_STATISTICS = ProcedureStatistics(0, 0.0, 0.0, 0.0, 0.0, 0.0, 0, 5, 3)


def procedure(texts, scenario="Cooking"):
    steps = tuple(ProcedureStep(text, None, None, semrep=str(analyse(text))) for text in texts)
    return Procedure("take-1", "take 1", scenario, steps)


def plan(texts, errors=(), corrections=(), scenario="Cooking"):
    steps = tuple(_planned_step(index, text) for index, text in enumerate(texts))
    return Plan(
        "take-1", "take 1", scenario, NO_STATISTICS, steps, tuple(errors), tuple(corrections)
    )


def _planned_step(index, text):
    return PlannedStep(
        index=index, start_s=None, end_s=None, duration_s=0.0, text=text, vocabulary_id=None,
        unique_id=None, is_essential=True, semrep=str(analyse(text)), predicate="",
        role_to_value={}, object_value=None, block_id=None, block_name=None, taxonomy_path=(),
        complexity=0.0, norm_complexity=0.0, norm_duration=0.0, load=0.0, phase=Phase.ROUTINE,
    )  # fmt: skip


def error(event_id, index, error_type, **spec):
    """Return a planned error; `spec` are the parameters of its type that a test cares about."""
    error_type = ErrorType(error_type)
    spec_class = error_kinds()[error_type].spec_class
    given = {**_DEFAULT_SPECS[error_type](index), **spec}
    return PlannedError(
        event_id, index, error_type, Phase.ROUTINE, None, True, Severity.MEDIUM, spec_class(**given)
    )


_DEFAULT_SPECS = {
    ErrorType.DELETION: lambda index: {},
    ErrorType.INSERTION: lambda index: {"before_step_index": index},
    ErrorType.SUBSTITUTION: lambda index: {
        "original_predicate": "", "original_object": None, "strategies": (),
    },
    ErrorType.TRANSPOSITION: lambda index: {"source_index": index, "target_index": index + 1},
    ErrorType.WRONG_EXECUTION: lambda index: {
        "predicate": "", "mutated_roles": ("Object",),
        "mutation_scopes": {"Object": MutationScope.ENTITY},
    },
}  # fmt: skip


def correction(
    correction_id, event_id, detect_at, *, redo=None, error_type=ErrorType.WRONG_EXECUTION
):
    return PlannedCorrection(
        correction_id, event_id, error_type, detect_at, 0, CorrectionType.STOP_AND_FIX,
        redo_step_index=redo,
    )  # fmt: skip


class Rows:
    """Makes rows of a rewrite of the given texts."""

    def __init__(self, texts):
        self.texts = texts

    def u(self, *indices):
        return [RewriteRow(Mod.UNCHANGED, self.texts[index], index) for index in indices]

    def e(self, index, text, event_id="E01", error_type=ErrorType.SUBSTITUTION):
        name = error_type.name
        return RewriteRow(Mod.ERROR, text, index, name, event_id)

    def we(self, index, text, event_id="E01"):
        return self.e(index, text, event_id, ErrorType.WRONG_EXECUTION)

    def a(self, index, text, event_id="E01"):
        return RewriteRow(Mod.CASCADE, text, index, event_id=event_id)

    def i(self, text, event_id="E01"):
        return RewriteRow(Mod.INSERTION, text, None, "insertion", event_id)

    def c(self, text, correction_id="C1", event_id=None):
        return RewriteRow(Mod.CORRECTION, text, None, "correction", event_id, correction_id)

    def d(self, index, event_id="E01"):
        return RewriteRow(Mod.DELETION, None, index, "deletion", event_id)

    def ms(self, index, event_id="E01"):
        return RewriteRow(Mod.MOVED_SOURCE, self.texts[index], index, "transposition", event_id)

    def mt(self, index, event_id="E01"):
        return RewriteRow(Mod.MOVED_TARGET, self.texts[index], index, "transposition", event_id)


def case(texts, rows, errors=(), corrections=(), scenario="Cooking"):
    take = JudgedTake(plan(texts, errors, corrections, scenario))
    return Case(take, Rewrite(tuple(rows)))


def identity(texts, **given):
    return case(texts, Rows(texts).u(*range(len(texts))), **given)


def found(code, checked):
    """Return (position, event id, entity) of what one check finds."""
    faults = all_checks()[code].find(checked)
    return [(fault.position, fault.event_id, fault.entity) for fault in faults]


def repaired_by(name, texts, rows, errors=(), corrections=()):
    """Return the rows after the rules alone, and see that the repair of that name did it.

    The repair signs the written rows that it makes; the signature is seen to and taken off.
    """
    judged = judge(plan(texts, errors, corrections), Submission(Rewrite(tuple(rows))))
    assert [attempt.name for attempt in judged.report.adopted] == [name]
    assert {row.repair_reason for row in judged.rewrite.rows} <= {None, name}
    return [replace(row, repair_reason=None) for row in judged.rewrite.rows]
