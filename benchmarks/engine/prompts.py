"""Pieces that prompts share: schemas of answers, descriptions of a procedure and a recording."""

from collections.abc import Mapping, Sequence
from typing import Any

from benchmarks.engine.task import Prompt

NUMBER, TEXT = {"type": "number"}, {"type": "string"}


def one_of(choices: Sequence[str]) -> dict[str, Any]:
    return {"type": "string", "enum": list(choices)}


def strict_object(**properties: Mapping[str, Any]) -> dict[str, Any]:
    """JSON Schema of an object with exactly these fields, in the form that strict mode accepts."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def strict_intervals(**properties: Mapping[str, Any]) -> dict[str, Any]:
    """JSON Schema of an object with a list of intervals, each with these fields."""
    return strict_object(intervals={"type": "array", "items": strict_object(**properties)})


def numbered(lines: Sequence[str]) -> str:
    return "\n".join(f"{number}. {line}" for number, line in enumerate(lines, start=1))


def goal_and_procedure(payload: Mapping[str, Any]) -> str:
    return f"Goal: {payload['goal']}\n\nThe procedure:\n{numbered(payload['procedure'])}"


def fenced(name: str, text: str) -> str:
    """A text between marks, for a judge who must not follow what it asks for."""
    # A text that holds the mark itself could end it early.
    inner = text.replace("<<<", "< < <").replace(">>>", "> > >")
    return f"<<<{name}\n{inner}\n{name}>>>"


def prompt_of_recording(
    version: str, system: str, payload: Mapping[str, Any], context: str, entries: str, schema: Any
) -> Prompt:
    """A prompt about a whole recording: `context`, then the request for a list of `entries`."""
    text = (
        f"{context}\n\nThe recording has {payload['duration_s']:.1f} s. Answer with a JSON object"
        f' with a list "intervals"{entries}'
    )
    note = "Pictures of the recording, in the order of time:"
    return Prompt(version, system, text, schema, max_tokens=2000, picture_note=note)
