"""Have a text model say what a clip shows: the hook of prompt compilation."""

from collections.abc import Mapping
from typing import Any

from generation.engine.prompting.clip_prompt import (
    MOST_CHARACTERS,
    MOST_OBJECTS,
    ClipPrompt,
    ClipStep,
    View,
    assembled,
)
from generation.engine.prompting.prompt import Prompt, render
from generation.engine.prompting.schemas import CLIP_SCHEMA

VERSION = "clip.v1"


class ClipAnswerError(ValueError):
    """The answer holds no action; the prompt compiled by rules is still there."""


def clip_prompt_request(step: ClipStep, *, scenario: str = "") -> Prompt:
    return render(
        VERSION,
        CLIP_SCHEMA,
        scenario=scenario or "unknown",
        kind=str(step.kind),
        step=step.text,
        before=step.before or "nothing",
        after=step.after or "nothing",
        most_objects=str(MOST_OBJECTS),
    )


def read_clip_prompt(
    step: ClipStep,
    answer: Mapping[str, Any],
    *,
    view: View = View.EGOCENTRIC,
    most_characters: int = MOST_CHARACTERS,
) -> ClipPrompt:
    """The prompt around a model's action and objects; camera and continuity stay ours.

    Raises ClipAnswerError where the action is empty.
    """
    action = " ".join(answer["action"].split())
    if not action:
        raise ClipAnswerError("the action is empty; expected what is seen in the clip")
    named = [" ".join(thing.split()) for thing in answer["objects"]]
    objects = tuple(dict.fromkeys(thing for thing in named if thing))[:MOST_OBJECTS]
    return assembled(step, action, objects, view=view, most_characters=most_characters)
