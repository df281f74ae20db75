import json

import pytest

from generation.engine.prompting.clip_prompt import (
    MOST_OBJECTS,
    ClipPrompt,
    ClipStep,
    View,
    compile_prompt,
    style_lock,
)
from generation.engine.splicing.edit_list import PieceKind

SPILL = ClipStep(
    PieceKind.REPLACEMENT,
    "Accidentally pour water into the cup instead of coffee",
    before="Get a cup from the shelf",
    after="Stir the coffee with a spoon",
)


def test_prompt_is_one_paragraph_of_action_objects_camera_and_continuity():
    prompt = compile_prompt(SPILL)

    assert prompt == ClipPrompt(
        action="The hands do this, plainly and in full: pour water into the cup",
        objects=("water", "cup"),
        camera=prompt.camera,
        continuity=(
            "It follows at once on getting a cup from the shelf and it leaves everything ready for"
            " stirring the coffee with a spoon"
        ),
        text=(
            f"{prompt.action}. What comes of it is plain to see and stays in the picture to the"
            f" end. In sight from start to end: the water and the cup. {prompt.camera}"
            f" {prompt.continuity}."
        ),
    )
    assert "\n" not in prompt.text
    assert "coffee" not in prompt.text.partition(prompt.continuity)[0]


def test_camera_follows_the_view():
    worn, fixed = (compile_prompt(SPILL, view=view).camera for view in View)

    assert "on the person's head" in worn
    assert "stands still" in fixed


def test_correction_stops_and_ends_put_right():
    step = ClipStep(PieceKind.CORRECTION, "Stop and fix it: pull the tube out, then untwist it.")

    prompt = compile_prompt(step)

    assert prompt.text.startswith(
        "The hands stop for a moment. Then they do this, plainly and in full: pull the tube out;"
        " then untwist it. What was wrong before is visibly put right by the end."
    )


def test_bridge_shows_no_step():
    prompt = compile_prompt(ClipStep(PieceKind.BRIDGE, "Add the salt", before="Get a cup."))

    assert (prompt.objects, prompt.notes) == ((), ())
    assert "salt" not in prompt.text
    assert prompt.continuity == "It follows at once on getting a cup"


def test_what_went_wrong_before_is_not_shown_again():
    step = ClipStep(PieceKind.CORRECTION, "Wipe the table", before="Pour milk, but spill some")

    assert compile_prompt(step).continuity == "It follows at once on pouring milk"


def test_representation_names_the_things_where_the_text_is_all_seen():
    semrep = "POUR(Agent: you, Object: oat_milk, Destination: into(cup))"

    given = compile_prompt(ClipStep(PieceKind.INSERTION, "Pour oat milk into the cup.", semrep))

    assert given.objects == ("oat milk", "cup")


def test_things_are_at_most_so_many():
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


def test_what_follows_but_makes_no_thing_of_it():
    step = ClipStep(PieceKind.REPLACEMENT, "Pat the skin with a cloth, but on one side only")

    assert compile_prompt(step).objects == ("skin", "cloth")


def test_notes_name_what_is_not_visible():
    step = ClipStep(PieceKind.REPLACEMENT, "Get the bowl, but not quite correctly")

    assert compile_prompt(step).notes == (
        "“not quite correctly” does not say what is seen; say what happens",
    )


def test_edited_prompt_says_so_and_an_unchanged_one_does_not():
    prompt = compile_prompt(SPILL)

    edited = prompt.edited("  A hand pours\n water. ")

    assert (edited.text, edited.is_edited) == ("A hand pours water.", True)
    assert prompt.edited(prompt.text) is prompt
    with pytest.raises(ValueError, match="the prompt is empty"):
        prompt.edited(" \n")


def test_prompt_survives_json():
    prompt = compile_prompt(SPILL).edited("A hand pours water.")

    assert ClipPrompt.from_dict(json.loads(json.dumps(prompt.to_dict()))) == prompt


def test_style_lock_names_the_scenario_and_keeps_the_scene():
    named, bare = style_lock("Making Coffee Latte."), style_lock()

    assert named == f"The recording shows: Making Coffee Latte. {bare}"
    assert bare.startswith("One unbroken shot in the same room and light")
