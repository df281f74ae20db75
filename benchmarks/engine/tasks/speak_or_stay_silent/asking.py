"""The words in which the task asks. Another wording is another version."""

from collections.abc import Mapping, Sequence
from typing import Any

from benchmarks.engine.happenings import numbered
from benchmarks.engine.task import Prompt

SPEAK, SILENT = "speak", "silent"
VERSION = "speak_or_stay_silent.v1"
SYSTEM = (
    "You watch somebody follow a written procedure, as an assistant who speaks up about mistakes"
    " and is quiet otherwise. Speak once a mistake can be seen: a step done wrongly, with the wrong"
    " thing, too early or too late, left out, or not in the procedure. Do not announce steps, do"
    " not praise, and do not speak again about a mistake that you have spoken about."
)
ANSWER = (
    'Answer with a JSON object: {"decision": "speak", "text": what you say, in one sentence} or'
    ' {"decision": "silent", "text": ""}.'
)
SCHEMA = {
    "type": "object",
    "properties": {
        "decision": {"type": "string", "enum": [SPEAK, SILENT]},
        "text": {"type": "string"},
    },
    "required": ["decision", "text"],
    "additionalProperties": False,
}


def prompt_of(payload: Mapping[str, Any], said: Sequence[tuple[float, str]]) -> Prompt:
    """`said` is what the participant said before, with the second of each."""
    done = numbered(payload["done"]) if payload["done"] else "Nothing is finished yet."
    lines = [f"At {moment_s:.1f} s: {text or '(without words)'}" for moment_s, text in said]
    parts = [
        f"Goal: {payload['goal']}",
        f"The procedure:\n{numbered(payload['procedure'])}",
        f"Finished by now ({payload['now_s']:.1f} s):\n{done}",
        "You have said:\n" + ("\n".join(lines) if lines else "Nothing."),
        "Do you speak now, or stay silent?",
        ANSWER,
    ]
    return Prompt(
        VERSION, SYSTEM, "\n\n".join(parts), SCHEMA, max_tokens=200,
        picture_note="Pictures of the last seconds, in the order of time:",
    )  # fmt: skip
