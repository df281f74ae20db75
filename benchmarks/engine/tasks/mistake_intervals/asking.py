"""The words in which the task asks. Another wording is another version."""

from collections.abc import Mapping, Sequence
from typing import Any

from benchmarks.engine.happenings import numbered
from benchmarks.engine.labelled_intervals import schema_of
from benchmarks.engine.task import Prompt

NARRATION, PICTURES = "what was done, with times", "pictures alone"
VERSION = "mistake_intervals.v1"
SYSTEM = (
    "You watch people follow written procedures and say from when to when mistakes are made and put"
    " right. A mistake is a step that was done wrongly, with the wrong thing, at the wrong place in"
    " the order, or that the procedure does not have."
)
ANSWER = (
    'Answer with a JSON object: {{"intervals": [{{"start_s": ..., "end_s": ..., "label": one of'
    ' {labels}, "score": how sure you are, from 0 to 1}}]}}. An empty list says that there is'
    " nothing to find."
)


def prompt_of(payload: Mapping[str, Any], labels: Sequence[str]) -> Prompt:
    parts = [
        f"Goal: {payload['goal']}",
        f"The procedure:\n{numbered(payload['procedure'])}",
        f"The recording has {payload['duration_s']:.1f} s.",
    ]
    if "done" in payload:
        lines = [f"{start:.1f} to {end:.1f} s: {text}" for start, end, text in payload["done"]]
        parts.append("What was done:\n" + "\n".join(lines))
    parts.append(ANSWER.format(labels=", ".join(f'"{label}"' for label in labels)))
    return Prompt(
        VERSION, SYSTEM, "\n\n".join(parts), schema_of(labels), max_tokens=1500,
        picture_note="Pictures of the recording, in the order of time:",
    )  # fmt: skip
