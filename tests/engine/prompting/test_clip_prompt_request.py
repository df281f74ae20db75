import pytest

from generation.engine.prompting.clip_prompt import (
    ClipAnswerError,
    ClipStep,
    clip_prompt_request,
    compile_prompt,
    read_clip_prompt,
)
from generation.engine.prompting.schemas import CLIP_SCHEMA
from generation.engine.splicing.edit_list import PieceKind

STEP = ClipStep(PieceKind.REPLACEMENT, "Spill $5 worth of milk", before="Get milk", after="Stir")


def test_request_carries_the_steps_and_the_schema():
    asked = clip_prompt_request(STEP, scenario="Latte")

    assert (asked.version, asked.schema) == ("clip.v2", CLIP_SCHEMA)
    assert "The recording: Latte" in asked.text
    assert "The shot (a replacement in the recording): Spill $5 worth of milk" in asked.text
    assert "Just before the shot: Get milk" in asked.text


def test_answer_gives_action_and_things_and_the_rest_stays_ours():
    answer = {
        "action": " The jug tips.\nMilk runs over the rim. ",
        "objects": ["white jug", "", "cup", "cup"],
    }

    made = read_clip_prompt(STEP, answer)

    ruled = compile_prompt(STEP)
    assert made.text == (
        "The jug tips. Milk runs over the rim. What comes of it is plain to see and stays in the"
        " picture to the end. In sight from start to end: the white jug and the cup."
        f" {ruled.camera} {ruled.continuity}."
    )
    assert (made.objects, made.notes) == (("white jug", "cup"), ())


def test_empty_action_is_refused():
    with pytest.raises(ClipAnswerError, match="the action is empty"):
        read_clip_prompt(STEP, {"action": " ", "objects": []})
