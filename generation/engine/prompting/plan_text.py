"""A plan in words: its steps, and all that was decided about each mistake and correction."""

from collections.abc import Callable, Iterator

from annotation.engine.taxonomy import PUBLISHED_NAME_BY_ERROR_TYPE, ErrorType
from generation.engine.error_types.deletion import DeletionSpec
from generation.engine.error_types.insertion import InsertionSpec
from generation.engine.error_types.substitution import SubstitutionSpec
from generation.engine.error_types.transposition import TranspositionSpec
from generation.engine.error_types.wrong_execution import WrongExecutionSpec
from generation.engine.planner.plan import Plan, PlannedCorrection, PlannedError, PlannedStep
from generation.engine.planner.taxonomy import (
    CorrectionType,
    MutationScope,
    Phase,
    SubstitutionStrategy,
)

NOTHING = "(none)"
PHASE_WORDS = {
    Phase.INITIATION: "beginning",
    Phase.ROUTINE: "middle",
    Phase.COMPLETION: "end",
}
SCOPE_WORDS = {
    MutationScope.ATTRIBUTE: "a quality or amount of it",
    MutationScope.ENTITY: "another thing in its place",
    MutationScope.SUBSTRUCTURE: "the relation or the part",
}
STRATEGY_WORDS = {
    SubstitutionStrategy.CHANGE_PREDICATE: "another action on the same thing",
    SubstitutionStrategy.CHANGE_OBJECT: "the same action on another thing",
    SubstitutionStrategy.CHANGE_BOTH: "another action on another thing",
    SubstitutionStrategy.CHANGE_OBJECT_KEEP_FRAME: "another thing, the sentence else the same",
    SubstitutionStrategy.RELATED_STEP: "a step that is related in meaning",
}
CORRECTION_WORDS = {
    CorrectionType.REACQUIRE_MISSING_OBJECT: "fetch what is missing, before it is needed",
    CorrectionType.STOP_AND_FIX: "stop and put right what was done wrongly",
    CorrectionType.ROLLBACK_AND_REDO: "take back what was done since, and do the step again",
    CorrectionType.PERFORM_MISSED_STEP_NOW: "do the missed step now",
    CorrectionType.PERFORM_MISSED_STEP_BEFORE_FIRST_USE: "do the missed step before it is needed",
    CorrectionType.UNDO_EXTRA_STEP: "undo what should not have been done",
    CorrectionType.RESTORE_ORDER: "put the result into the order that it should have had",
}


def steps_text(plan: Plan) -> str:
    """Return one line per step: index, phase, text, meaning."""
    return "\n".join(map(_step_line, plan.steps)) or NOTHING


def _step_line(step: PlannedStep) -> str:
    mark = "*" if step.is_essential else " "
    meaning = f"  {step.semrep}" if step.semrep else ""
    return f"{step.index:>3}{mark} [{PHASE_WORDS[step.phase]}] {step.text}{meaning}"


def errors_text(plan: Plan) -> str:
    """Return what was planned for each mistake."""
    return "\n".join(_error_line(plan, error) for error in plan.errors) or NOTHING


def _error_line(plan: Plan, error: PlannedError) -> str:
    kind = PUBLISHED_NAME_BY_ERROR_TYPE[error.error_type]
    details = "; ".join(_DETAILS[error.error_type](plan, error))
    place = f"{kind} at step {error.step_index}, severity {error.severity}"
    return f"- {error.event_id}: {place}: {details}"


def _wrong_execution(plan: Plan, error: PlannedError) -> Iterator[str]:
    spec = error.spec
    assert isinstance(spec, WrongExecutionSpec)
    yield f"keep the action{f' {spec.predicate}' if spec.predicate else ''}"
    values = plan.steps[error.step_index].role_to_value
    for role in spec.mutated_roles:
        value = f" ({values[role]})" if role in values else ""
        scope = spec.mutation_scopes.get(role)
        yield f"change {role}{value}" + (f": {SCOPE_WORDS[scope]}" if scope else "")
    if not spec.mutated_roles:
        yield "change one detail that matters"


def _substitution(plan: Plan, error: PlannedError) -> Iterator[str]:
    spec = error.spec
    assert isinstance(spec, SubstitutionSpec)
    ways = " or ".join(STRATEGY_WORDS[strategy] for strategy in spec.strategies)
    named = " ".join(filter(None, (spec.original_predicate, spec.original_object)))
    yield f"instead of {named or 'the step'}"
    yield f"take {ways or 'a step that could be confused with it'}"
    if spec.prefers_same_block and error.block_name:
        yield f"best one that belongs to {error.block_name!r}"


def _insertion(plan: Plan, error: PlannedError) -> Iterator[str]:
    spec = error.spec
    assert isinstance(spec, InsertionSpec)
    yield f"put it just before step {spec.before_step_index}"


def _deletion(plan: Plan, error: PlannedError) -> Iterator[str]:
    spec = error.spec
    assert isinstance(spec, DeletionSpec)
    yield "leave the step out"
    if spec.alternate_indices:
        others = " or ".join(map(str, spec.alternate_indices))
        yield f"where that is impossible, step {others} instead"
    if spec.correction_before_step_index is not None:
        yield f"what it brings is needed at step {spec.correction_before_step_index}"


def _transposition(plan: Plan, error: PlannedError) -> Iterator[str]:
    spec = error.spec
    assert isinstance(spec, TranspositionSpec)
    yield f"swap the steps {spec.source_index} and {spec.target_index}"


_DETAILS: dict[ErrorType, Callable[[Plan, PlannedError], Iterator[str]]] = {
    ErrorType.WRONG_EXECUTION: _wrong_execution,
    ErrorType.SUBSTITUTION: _substitution,
    ErrorType.INSERTION: _insertion,
    ErrorType.DELETION: _deletion,
    ErrorType.TRANSPOSITION: _transposition,
}


def corrections_text(plan: Plan) -> str:
    """Return what was planned for each correction."""
    lines = [_correction_line(correction) for correction in plan.corrections or ()]
    return "\n".join(lines) or NOTHING


def _correction_line(correction: PlannedCorrection) -> str:
    details = "; ".join(_correction_details(correction))
    return (
        f"- {correction.correction_id} repairs {correction.target_event_id}, noticed after step "
        f"{correction.detect_at_step_index}: {details}"
    )


def _correction_details(correction: PlannedCorrection) -> Iterator[str]:
    yield CORRECTION_WORDS[correction.correction_type]
    # Zero is a step like any other, and "do not roll back" is something to say.
    if correction.rollback_steps is not None:
        yield f"go back {correction.rollback_steps} steps"
    if correction.redo_step_index is not None:
        yield f"do step {correction.redo_step_index} again"
    if correction.restore_order_pair is not None:
        first, second = correction.restore_order_pair
        yield f"steps {first} and {second} were swapped"
    if correction.missing_object:
        yield f"fetch {correction.missing_object}"
    if correction.missing_from_step_index is not None:
        yield f"missing since step {correction.missing_from_step_index}"
    if correction.insert_before_step_index is not None:
        yield f"put it before step {correction.insert_before_step_index}"
