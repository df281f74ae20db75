"""One small plan, made by hand, for the tests of what is shown of plans."""

from annotation.engine.taxonomy import ErrorType
from generation.engine.error_types.transposition import TranspositionSpec
from generation.engine.error_types.wrong_execution import WrongExecutionSpec
from generation.engine.planner.plan import (
    NoticedError,
    Plan,
    PlannedCorrection,
    PlannedError,
    PlannedStep,
    ProcedureStatistics,
)
from generation.engine.planner.taxonomy import CorrectionType, MutationScope, Phase, Severity

PHASES = (Phase.INITIATION,) * 4 + (Phase.ROUTINE,) * 4 + (Phase.COMPLETION,) * 2


def step(index, **changes):
    fields = {
        "index": index,
        "start_s": 10.0 * index,
        "end_s": 10.0 * index + 5.0,
        "duration_s": 5.0,
        "text": f"Do part {index + 1}",
        "vocabulary_id": None,
        "unique_id": None,
        "is_essential": True,
        "semrep": "DO(Agent: you)",
        "predicate": "DO",
        "role_to_value": {"Agent": "you"},
        "object_value": None,
        "block_id": None,
        "block_name": None,
        "taxonomy_path": (),
        "complexity": 1.0,
        "norm_complexity": 0.5,
        "norm_duration": 0.5,
        "load": index / 10,
        "phase": PHASES[index],
    }
    return PlannedStep(**{**fields, **changes})


def error(event_id, index, error_type, spec):
    return PlannedError(
        event_id=event_id,
        step_index=index,
        error_type=error_type,
        phase=PHASES[index],
        block_name=None,
        is_essential=True,
        severity=Severity.MEDIUM,
        spec=spec,
    )


WRONG = error(
    "E01",
    2,
    ErrorType.WRONG_EXECUTION,
    WrongExecutionSpec(
        predicate="DO",
        mutated_roles=("Object",),
        mutation_scopes={"Object": MutationScope.ENTITY},
    ),
)
SWAPPED = error(
    "E02",
    5,
    ErrorType.TRANSPOSITION,
    TranspositionSpec(source_index=5, target_index=7),
)
CORRECTION = PlannedCorrection(
    correction_id="t1_corr_0",
    target_event_id="E01",
    target_type=ErrorType.WRONG_EXECUTION,
    detect_at_step_index=6,
    latency_steps=4,
    correction_type=CorrectionType.STOP_AND_FIX,
    rollback_steps=0,
    redo_step_index=2,
)
NOTICED = NoticedError(
    target_event_id="E02",
    target_type=ErrorType.TRANSPOSITION,
    detect_at_step_index=5,
    latency_steps=0,
    act_probability=0.4,
)
STATISTICS = ProcedureStatistics(
    step_count=10,
    total_duration_s=50.0,
    total_complexity=10.0,
    density_steps_per_min=12.0,
    risk_score=0.3,
    error_rate=2.0,
    error_count=2,
    max_errors=5,
    max_consecutive_errors=3,
)
PLAN = Plan(
    take_uid="t1",
    take_name="tea one",
    scenario="Tea",
    statistics=STATISTICS,
    steps=tuple(step(index) for index in range(10)),
    errors=(WRONG, SWAPPED),
    corrections=(CORRECTION,),
    noticed_not_acted=(NOTICED,),
)
