"""Plans with given errors, and the situations in which they are corrected."""

import numpy as np

from annotation.engine.taxonomy import ErrorType
from generation.engine.corrections.situation import CorrectionSituation
from generation.engine.error_types.deletion import DeletionSpec
from generation.engine.error_types.insertion import InsertionSpec
from generation.engine.error_types.substitution import SubstitutionSpec
from generation.engine.error_types.transposition import TranspositionSpec
from generation.engine.error_types.wrong_execution import WrongExecutionSpec
from generation.engine.planner.features import measure
from generation.engine.planner.meaning import meaning_reader
from generation.engine.planner.plan import Plan, PlannedError, ProcedureStatistics
from generation.engine.planner.planning import planned_steps
from generation.engine.planner.procedure_to_plan import Procedure
from generation.engine.planner.profile import Profile
from generation.engine.planner.taxonomy import Phase, Severity
from tests.engine.planner.procedures import ALONE

# The types of the paper; others may stand beside them.
FIVE = (
    ErrorType.DELETION, ErrorType.INSERTION, ErrorType.SUBSTITUTION, ErrorType.TRANSPOSITION,
    ErrorType.WRONG_EXECUTION,
)  # fmt: skip
STATISTICS = ProcedureStatistics(0, 0.0, 0.0, 0.0, 0.0, 0.0, 0, 5, 3)


def error_at(
    step_index: int,
    error_type: ErrorType,
    *,
    number: int = 1,
    phase: Phase = Phase.ROUTINE,
    severity: Severity = Severity.MEDIUM,
    essential: bool = True,
    partner: int | None = None,
    needed_at: int | None = None,
) -> PlannedError:
    """Return an error of one of the five types at the step, with the plainest parameters."""
    specs = {
        ErrorType.WRONG_EXECUTION: WrongExecutionSpec("ACT", ("Object",), {}),
        ErrorType.DELETION: DeletionSpec((), needed_at),
        ErrorType.INSERTION: InsertionSpec(step_index),
        ErrorType.SUBSTITUTION: SubstitutionSpec("ACT", None, ()),
        ErrorType.TRANSPOSITION: TranspositionSpec(step_index, partner or 0),
    }
    return PlannedError(
        event_id=f"E{number:02d}",
        step_index=step_index,
        error_type=error_type,
        phase=phase,
        block_name="kitchen",
        is_essential=essential,
        severity=severity,
        spec=specs[error_type],
    )


def plan_with(procedure: Procedure, *errors: PlannedError, profile: Profile = ALONE) -> Plan:
    """Return a plan of the procedure with exactly these errors."""
    return Plan(
        take_uid=procedure.take_uid,
        take_name=procedure.take_name,
        scenario=procedure.scenario,
        statistics=STATISTICS,
        steps=planned_steps(measure(procedure, profile)),
        errors=errors,
    )


def situation_with(
    procedure: Procedure, *errors: PlannedError, profile: Profile = ALONE, seed: int = 0
) -> CorrectionSituation:
    """Return the situation in which the errors are corrected."""
    plan = plan_with(procedure, *errors, profile=profile)
    read = meaning_reader(profile.reading)
    return CorrectionSituation(
        plan=plan,
        meanings=[read(step.semrep) for step in plan.steps],
        profile=profile,
        rng=np.random.default_rng(seed),
    )
