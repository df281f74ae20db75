"""The prompt of the freeform baseline, and its answer in the published form."""

from collections.abc import Mapping
from typing import Any

from generation.engine.planner.procedure import Procedure
from generation.engine.prompting.prompt import Prompt, render
from generation.engine.prompting.schemas import FREEFORM_SCHEMA
from generation.engine.prompting.writer import problem_text

VERSION = "freeform.v1"


def freeform_prompt(procedure: Procedure, *, problem: str = "") -> Prompt:
    """Return the prompt: the steps, and no plan."""
    lines = [
        f"{index:>3}{'*' if step.is_essential else ' '} {step.text}"
        for index, step in enumerate(procedure.steps)
    ]
    return render(
        VERSION,
        FREEFORM_SCHEMA,
        scenario=procedure.scenario,
        steps="\n".join(lines),
        problem=problem_text(problem),
    )


def published_freeform(answer: Mapping[str, Any]) -> dict[str, Any]:
    """Return an answer with its rows as the published files write them, as arrays."""
    return {
        "final_steps": list(answer["final_steps"]),
        "meta": [
            [row["source"], row["mod"], row["error_id"], row["correction_id"]]
            for row in answer["meta"]
        ],
        "del": [[row["source"], row["error_id"]] for row in answer["del"]],
    }
