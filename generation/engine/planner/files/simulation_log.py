"""The simulation log of a plan: one line per step, with the corrections where they happen."""

from generation.engine.planner.correction_facts import correction_facts
from generation.engine.planner.plan import Plan, PlannedCorrection


def simulation_log(plan: Plan) -> tuple[str, ...]:
    """The log lines of a plan; step numbers start at 1."""
    labels_at: dict[int, list[str]] = {}
    for error in plan.errors:
        label, swapped = error.error_type.name, error.spec.swapped
        if swapped:
            label = f"{label}({error.step_index + 1}->{swapped[1] + 1})"
        for index in swapped or (error.step_index,):
            labels_at.setdefault(index, []).append(label)
    corrections: dict[int, list[tuple[int, PlannedCorrection]]] = {}
    for number, correction in enumerate(plan.corrections or (), start=1):
        corrections.setdefault(correction.detect_at_step_index, []).append((number, correction))
    lines = []
    for step in plan.steps:
        at = f"Step {step.index + 1:02d}"
        labels = labels_at.get(step.index, ())
        state = "ERROR" if labels else "OK"
        arrow = f" -> {', '.join(labels)}" if labels else ""
        lines.append(f"[{at} / {len(plan.steps)}] ({step.phase}) {state}: '{step.text}'{arrow}")
        for number, made in corrections.get(step.index, ()):
            redo, before = made.redo_step_index or 0, made.insert_before_step_index or 0
            first, second = made.restore_order_pair or (redo, redo)
            done = correction_facts()[made.correction_type].log_words.format(
                redo=f"Step {redo + 1:02d}",
                before=f"Step {before + 1:02d}",
                first=f"{first + 1:02d}",
                second=f"{second + 1:02d}",
                missing=made.missing_object,
            )
            lines.append(
                f"[Corr {number:02d} after {at}] ({step.phase}) CORRECTION for "
                f"{made.target_event_id} {made.target_type.name}: {made.correction_type} -> {done}"
            )
    return tuple(lines)
