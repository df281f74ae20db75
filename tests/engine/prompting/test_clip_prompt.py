from pathlib import Path

import pytest

from generation.engine.prompting.clip_prompt import (
    MOST_OBJECTS,
    ClipStep,
    View,
    compile_prompt,
    style_lock,
)
from generation.engine.splicing.edit_list import PieceKind
from tests.golden import assert_golden

GOLDEN = Path(__file__).with_name("golden")

SPILL = ClipStep(
    PieceKind.REPLACEMENT,
    "Accidentally pour water into the cup instead of coffee",
    before="Get a cup from the shelf",
    after="Stir the coffee with a spoon",
)


STEPS = {
    "a mistake between two steps": SPILL,
    "a correction that stops and fixes": ClipStep(
        PieceKind.CORRECTION, "Stop and fix it: pull the tube out, then untwist it."
    ),
    "a bridge over a step that is left out": ClipStep(
        PieceKind.BRIDGE, "Add the salt", before="Get a cup."
    ),
    "a correction after what went wrong": ClipStep(
        PieceKind.CORRECTION, "Wipe the table", before="Pour milk, but spill some"
    ),
    "an insertion with its representation": ClipStep(
        PieceKind.INSERTION,
        "Pour oat milk into the cup.",
        "POUR(Agent: you, Object: oat_milk, Destination: into(cup))",
    ),
    "a mistake of which not all is seen": ClipStep(
        PieceKind.REPLACEMENT, "Get the bowl, but not quite correctly"
    ),
}


def test_prompts_have_not_changed():
    prompts = {words: compile_prompt(step).to_dict() for words, step in STEPS.items()}
    locks = {"of a scenario": style_lock("Making Coffee Latte."), "of any": style_lock()}

    assert_golden(GOLDEN / "clip_prompts.json", {"prompts": prompts, "style locks": locks})


def test_prompt_is_one_paragraph_of_all_its_parts():
    prompt = compile_prompt(SPILL)

    places = [prompt.text.index(part) for part in (prompt.action, "In sight", prompt.camera)]
    assert places == sorted(places)
    assert prompt.text.endswith(f" {prompt.continuity}.")
    assert "\n" not in prompt.text
    assert "coffee" not in prompt.text.partition(prompt.continuity)[0]


def test_camera_follows_the_view():
    worn, fixed = (compile_prompt(SPILL, view=view).camera for view in View)

    assert "on the person's head" in worn
    assert "stands still" in fixed


def test_compiled_prompt_limits_the_number_of_things():
    text = "Get the pan, the pot, the lid, the cup, the fork, the knife, the spoon and the plate"

    assert len(compile_prompt(ClipStep(PieceKind.INSERTION, text)).objects) == MOST_OBJECTS


def test_long_prompt_loses_continuity_then_objects_and_says_so():
    whole = compile_prompt(SPILL)
    without_steps = compile_prompt(SPILL, most_characters=len(whole.text) - 1)
    without_things = compile_prompt(SPILL, most_characters=len(without_steps.text) - 1)

    assert without_steps.text == whole.text.removesuffix(f" {whole.continuity}.")
    assert without_things.text == without_steps.text.replace(
        " In sight from start to end: the water and the cup.", ""
    )
    assert without_things.notes == (
        "the steps before and after were left out: the text is too long",
        "the list of things was left out: the text is too long",
    )


def test_words_after_but_are_no_thing():
    step = ClipStep(PieceKind.REPLACEMENT, "Pat the skin with a cloth, but on one side only")

    assert compile_prompt(step).objects == ("skin", "cloth")


def test_edited_prompt_says_so_and_an_unchanged_one_does_not():
    prompt = compile_prompt(SPILL)

    edited = prompt.edited("  A hand pours\n water. ")

    assert (edited.text, edited.is_edited) == ("A hand pours water.", True)
    assert prompt.edited(prompt.text) is prompt
    with pytest.raises(ValueError, match="the prompt is empty"):
        prompt.edited(" \n")
