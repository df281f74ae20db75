"""The prompt of the freeform baseline, and its answer in the published form."""

from collections.abc import Mapping, Sequence
from typing import Any

from generation.engine.planner.procedure_to_plan import Procedure
from generation.engine.prompting.prompt import Prompt, render
from generation.engine.prompting.schemas import FREEFORM_SCHEMA
from generation.engine.prompting.writer import problem_text

VERSION = "freeform.v1"


def freeform_prompt(procedure: Procedure, *, problem: str = "") -> Prompt:
    """The prompt: the steps, and no plan."""
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


META_FIELDS = ("source", "mod", "error_id", "correction_id")
DELETION_FIELDS = ("source", "error_id")


def published_freeform(answer: Mapping[str, Any]) -> dict[str, Any]:
    """An answer with its rows as the published files write them, as arrays.

    What has another shape than the schema's is left as it came, for the reader to say so.
    """
    return {
        "final_steps": answer.get("final_steps"),
        "meta": _as_arrays(answer.get("meta"), META_FIELDS),
        "del": _as_arrays(answer.get("del", []), DELETION_FIELDS),
    }


def _as_arrays(rows: Any, fields: Sequence[str]) -> Any:
    if not isinstance(rows, list):
        return rows
    return [[row.get(name) for name in fields] if isinstance(row, Mapping) else row for row in rows]
