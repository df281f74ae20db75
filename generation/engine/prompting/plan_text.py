"""A plan in words: its steps, and all that was decided about each mistake and correction."""

from collections.abc import Iterator

from generation.engine.planner.correction_facts import correction_facts
from generation.engine.planner.error_kind import kind_of
from generation.engine.planner.plan import Plan, PlannedCorrection, PlannedError, PlannedStep
from generation.engine.planner.taxonomy import Phase

NOTHING = "(none)"
PHASE_WORDS = {
    Phase.INITIATION: "beginning",
    Phase.ROUTINE: "middle",
    Phase.COMPLETION: "end",
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
    details = "; ".join(kind_of(error).prompt_lines(plan, error))
    place = f"{error.error_type.name} at step {error.step_index}, severity {error.severity}"
    return f"- {error.event_id}: {place}: {details}"


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
    yield correction_facts()[correction.correction_type].prompt_words
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
