"""What prompts share: schemas of answers, and how a procedure and a recording are told of."""

from collections.abc import Mapping, Sequence
from typing import Any

from benchmarks.engine.task import Prompt

NUMBER, TEXT = {"type": "number"}, {"type": "string"}


def one_of(choices: Sequence[str]) -> dict[str, Any]:
    return {"type": "string", "enum": list(choices)}


def strict(**properties: Mapping[str, Any]) -> dict[str, Any]:
    """JSON Schema of an object with these fields and no other, as strict mode accepts it."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def strict_intervals(**properties: Mapping[str, Any]) -> dict[str, Any]:
    """JSON Schema of a list of intervals, which have these fields."""
    return strict(intervals={"type": "array", "items": strict(**properties)})


def numbered(lines: Sequence[str]) -> str:
    return "\n".join(f"{number}. {line}" for number, line in enumerate(lines, start=1))


def goal_and_procedure(payload: Mapping[str, Any]) -> str:
    return f"Goal: {payload['goal']}\n\nThe procedure:\n{numbered(payload['procedure'])}"


def prompt_of_recording(
    version: str, system: str, payload: Mapping[str, Any], told: str, asked: str, schema: Any
) -> Prompt:
    """What is asked about a whole recording after what is `told`; `asked` goes on with its list."""
    text = (
        f"{told}\n\nThe recording has {payload['duration_s']:.1f} s. Answer with a JSON object with"
        f' a list "intervals"{asked}'
    )
    note = "Pictures of the recording, in the order of time:"
    return Prompt(version, system, text, schema, max_tokens=2000, picture_note=note)
