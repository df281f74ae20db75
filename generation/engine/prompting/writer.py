"""The prompt of the writer: a plan, to be written out as a whole procedure with its mistakes."""

from generation.engine.planner.plan import Plan
from generation.engine.prompting.plan_text import corrections_text, errors_text, steps_text
from generation.engine.prompting.prompt import Prompt, render
from generation.engine.prompting.schemas import rewrite_schema

VERSION = "writer.v1"


def writer_prompt(plan: Plan, *, problem: str = "") -> Prompt:
    """The prompt; `problem` says what was wrong with the answer before, if there was one."""
    return render(
        VERSION,
        rewrite_schema(),
        scenario=plan.scenario,
        steps=steps_text(plan),
        errors=errors_text(plan),
        corrections=corrections_text(plan),
        problem=problem_text(problem),
    )


def problem_text(problem: str) -> str:
    """The last section of a prompt that is asked again, nothing where all is new."""
    if not problem:
        return ""
    heading = "## An earlier answer could not be used"
    return f"{heading}\n\n{problem}\n\nAnswer the whole again, without this."
