"""The simulation log of a plan: one line per step, with the corrections where they happen."""

from generation.engine.planner.plan import Plan, PlannedCorrection, PlannedError
from generation.engine.planner.taxonomy import CorrectionType


def simulation_log(plan: Plan) -> tuple[str, ...]:
    """Return the log lines of a plan; step numbers start at 1."""
    by_step = _errors_by_step(plan.errors)
    corrections: dict[int, list[tuple[int, PlannedCorrection]]] = {}
    for number, correction in enumerate(plan.corrections or (), start=1):
        corrections.setdefault(correction.detect_at_step_index, []).append((number, correction))
    lines = []
    for step in plan.steps:
        start = f"[Step {step.index + 1:02d} / {len(plan.steps)}] ({step.phase})"
        labels = [_error_label(error) for error in by_step.get(step.index, ())]
        state = "ERROR" if labels else "OK"
        arrow = f" -> {', '.join(labels)}" if labels else ""
        lines.append(f"{start} {state}: '{step.text}'{arrow}")
        lines.extend(
            _correction_line(number, correction, str(step.phase))
            for number, correction in corrections.get(step.index, ())
        )
    return tuple(lines)


def _errors_by_step(errors: tuple[PlannedError, ...]) -> dict[int, list[PlannedError]]:
    by_step: dict[int, list[PlannedError]] = {}
    for error in errors:
        for index in error.spec.swapped or (error.step_index,):
            by_step.setdefault(index, []).append(error)
    return by_step


def _error_label(error: PlannedError) -> str:
    name, swapped = error.error_type.name, error.spec.swapped
    return f"{name}({error.step_index + 1}->{swapped[1] + 1})" if swapped else name


def _correction_line(number: int, correction: PlannedCorrection, phase: str) -> str:
    start = f"[Corr {number:02d} after Step {correction.detect_at_step_index + 1:02d}] ({phase})"
    what = correction.target_type.name
    return (
        f"{start} CORRECTION for {correction.target_event_id} {what}: "
        f"{correction.correction_type} -> {_deed(correction)}"
    )


def _deed(correction: PlannedCorrection) -> str:
    kind = correction.correction_type
    if kind is CorrectionType.UNDO_EXTRA_STEP:
        return "undo extra step"
    if kind is CorrectionType.RESTORE_ORDER and correction.restore_order_pair:
        first, second = correction.restore_order_pair
        return f"restore order of Steps {first + 1:02d} and {second + 1:02d}"
    if kind is CorrectionType.REACQUIRE_MISSING_OBJECT:
        before = (correction.insert_before_step_index or 0) + 1
        return f"reacquire {correction.missing_object} before Step {before:02d}"
    redo = f"Step {(correction.redo_step_index or 0) + 1:02d}"
    if kind is CorrectionType.PERFORM_MISSED_STEP_NOW:
        return f"do missed {redo} now"
    if kind is CorrectionType.PERFORM_MISSED_STEP_BEFORE_FIRST_USE:
        before = (correction.insert_before_step_index or 0) + 1
        return f"do missed {redo} before Step {before:02d}"
    return f"redo {redo}"
