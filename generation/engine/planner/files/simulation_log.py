"""The simulation log of a plan: one line per step, and one per correction after its step.

Under profiles that ask for sense, a type that was passed over at a step has a line there too.
"""

from generation.engine.planner.correction_facts import correction_facts
from generation.engine.planner.plan import Plan, PlannedCorrection


def simulation_log(plan: Plan) -> tuple[str, ...]:
    """Step numbers in the lines start at 1."""
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
    passed_over: dict[int, list[str]] = {}
    for item in plan.passed_over:
        passed_over.setdefault(item.step_index, []).append(item.error_type.name)
    lines = []
    for step in plan.steps:
        at = f"Step {step.index + 1:02d}"
        labels = labels_at.get(step.index, ())
        state = "ERROR" if labels else "OK"
        arrow = f" -> {', '.join(labels)}" if labels else ""
        lines.append(f"[{at} / {len(plan.steps)}] ({step.phase}) {state}: '{step.text}'{arrow}")
        for name in passed_over.get(step.index, ()):
            lines.append(f"[{at}] PASSED OVER: {name} has no wording here that makes sense")
        for number, correction in corrections.get(step.index, ()):
            redo, before = correction.redo_step_index or 0, correction.insert_before_step_index or 0
            first, second = correction.restore_order_pair or (redo, redo)
            action = correction_facts()[correction.correction_type].log_words.format(
                redo=f"Step {redo + 1:02d}",
                before=f"Step {before + 1:02d}",
                first=f"{first + 1:02d}",
                second=f"{second + 1:02d}",
                missing=correction.missing_object,
            )
            lines.append(
                f"[Corr {number:02d} after {at}] ({step.phase}) CORRECTION for "
                f"{correction.target_event_id} {correction.target_type.name}: "
                f"{correction.correction_type} -> {action}"
            )
    return tuple(lines)
