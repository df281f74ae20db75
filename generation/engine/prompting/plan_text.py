"""A plan in words: its steps, and all that was decided about each mistake and correction."""

from generation.engine.planner.correction_facts import correction_facts
from generation.engine.planner.error_kind import kind_of
from generation.engine.planner.plan import Plan
from generation.engine.planner.taxonomy import Phase

NOTHING = "(none)"
PHASE_WORDS = {
    Phase.INITIATION: "beginning",
    Phase.ROUTINE: "middle",
    Phase.COMPLETION: "end",
}


def steps_text(plan: Plan) -> str:
    """One line per step: index, phase, text, meaning."""
    lines = [
        f"{step.index:>3}{'*' if step.is_essential else ' '} [{PHASE_WORDS[step.phase]}]"
        f" {step.text}" + (f"  {step.semrep}" if step.semrep else "")
        for step in plan.steps
    ]
    return "\n".join(lines) or NOTHING


def errors_text(plan: Plan) -> str:
    lines = [
        f"- {error.event_id}: {error.error_type.name} at step {error.step_index},"
        f" severity {error.severity}: {'; '.join(kind_of(error).prompt_lines(plan, error))}"
        for error in plan.errors
    ]
    return "\n".join(lines) or NOTHING


def corrections_text(plan: Plan) -> str:
    lines = []
    for correction in plan.corrections or ():
        said = [correction_facts()[correction.correction_type].prompt_words]
        # Zero is a step like any other, and "do not roll back" is something to say.
        if correction.rollback_steps is not None:
            said.append(f"go back {correction.rollback_steps} steps")
        if correction.redo_step_index is not None:
            said.append(f"do step {correction.redo_step_index} again")
        if correction.restore_order_pair is not None:
            first, second = correction.restore_order_pair
            said.append(f"steps {first} and {second} were swapped")
        if correction.missing_object:
            said.append(f"fetch {correction.missing_object}")
        if correction.missing_from_step_index is not None:
            said.append(f"missing since step {correction.missing_from_step_index}")
        if correction.insert_before_step_index is not None:
            said.append(f"put it before step {correction.insert_before_step_index}")
        lines.append(
            f"- {correction.correction_id} repairs {correction.target_event_id}, noticed after "
            f"step {correction.detect_at_step_index}: {'; '.join(said)}"
        )
    return "\n".join(lines) or NOTHING
