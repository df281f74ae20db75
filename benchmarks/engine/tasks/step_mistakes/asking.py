"""The words in which the task asks. Another wording is another version."""

from collections.abc import Mapping
from typing import Any

from benchmarks.engine.happenings import numbered
from benchmarks.engine.task import Prompt
from benchmarks.engine.yes_no import SCHEMA

NARRATION, PICTURES = "its words", "pictures alone"
VERSION = "step_mistakes.v1"
SYSTEM = (
    "You watch people follow written procedures and tell mistakes from good work. A mistake is a"
    " step that was done wrongly, with the wrong thing, at the wrong place in the order, or that"
    " the procedure does not have. Putting a mistake right is no mistake."
)
ANSWER = (
    'Answer with a JSON object: {"answer": "yes"} if this step is a mistake, {"answer": "no"} if'
    ' it is none, and in "score" how sure you are that it is a mistake, from 0 to 1.'
)


def question_of(payload: Mapping[str, Any]) -> str:
    """The question as people read it."""
    if "step" in payload:
        return f"Is this step a mistake? “{payload['step']}”"
    return "Is what is done in this clip a mistake?"


def prompt_of(payload: Mapping[str, Any]) -> Prompt:
    parts = [f"Goal: {payload['goal']}", f"The procedure:\n{numbered(payload['procedure'])}"]
    if "step" in payload:
        before = numbered(payload["before"]) if payload["before"] else "Nothing yet."
        parts += [f"Done so far:\n{before}", f"The step that is asked about:\n{payload['step']}"]
    parts += [question_of(payload), ANSWER]
    return Prompt(
        VERSION, SYSTEM, "\n\n".join(parts), SCHEMA, max_tokens=200,
        picture_note="Pictures of this step, in the order of time:",
    )  # fmt: skip
