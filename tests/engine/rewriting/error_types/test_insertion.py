"""An extra step comes before the planned one: a mistake with what is at hand, never a look."""

import pytest

from annotation.engine.taxonomy import ErrorType, Mod
from generation.engine.english.words import kin, mentions
from generation.engine.rewriting.affordances import can_be_preceded
from generation.engine.rewriting.freeform.freeform import jaccard
from generation.engine.rewriting.scene import scene_of
from tests.engine.rewriting.plans import error
from tests.engine.rewriting.take import EGG, extra_steps_at, rows_of

THINGS = {kin(head) for step in scene_of("", EGG).steps for head in step.heads}


def extra_texts(steps, index):
    scene = scene_of("", [(text, "") for text in steps])
    return {added.text for added in extra_steps_at(scene, index)}


@pytest.mark.parametrize("seed", range(20))
def test_extra_step_fits_its_place(seed):
    rows = rows_of([error("E01", ErrorType.INSERTION, 4)], seed=seed)
    added = rows[4]

    assert (added.mod, added.old_index, added.error_type) == (Mod.INSERTION, None, "insertion")
    assert max(jaccard(added.text, EGG[index][0]) for index in (3, 4)) < 0.85
    assert [row.old_index for row in rows] == [0, 1, 2, 3, None, 4, 5]


def test_extra_step_names_a_thing_of_the_procedure():
    planned = [error("E01", ErrorType.INSERTION, 4)]
    texts = [rows_of(planned, seed=seed)[4].text for seed in range(20)]

    assert [text for text in texts if not any(mentions(text, thing) for thing in THINGS)] == []


def test_extra_step_takes_the_style_of_the_step():
    rows = rows_of([error("E01", ErrorType.INSERTION, 0)], steps=["stir the tea in the cup."])

    assert rows[0].text[0].islower()
    assert rows[0].text.endswith(".")


def test_what_is_added_by_the_amount_is_added_twice_and_one_packet_is_not():
    salt = ["Add 1 teaspoon of salt to the pot", "Taste the soup"]
    packet = ["Add the packet to the pot", "Taste the soup"]

    assert "Add 1 teaspoon of salt to the pot a second time" in extra_texts(salt, 1)
    assert not any("second time" in text for text in extra_texts(packet, 1))


def test_what_is_poured_is_spilled_and_what_is_held_is_dropped():
    assert "Spill some of the milk" in extra_texts(["Pour the milk into the cup"], 0)
    assert "Drop the spoon" in extra_texts(["Stir the milk with the spoon"], 0)
    assert "Drop the water" not in extra_texts(["Rinse the cup with water"], 0)


def test_pair_of_something_keeps_what_it_is_a_pair_of():
    assert "Drop the pair of tweezers" in extra_texts(["Hold the chip with a pair of tweezers"], 0)


def test_step_of_nothing_has_no_extra_step():
    scene = scene_of("", [("Wait.", ""), ("Relax.", "")])

    assert not can_be_preceded(scene, 1)


@pytest.mark.parametrize(
    ("steps", "index", "never"),
    [
        (["Unhook the string from the tailpiece"], 0, "Drop the string"),
        (["Tap the brick with the trowel handle"], 0, "Drop the trowel handle"),
        (["Tie the net off with two knots"], 0, "Drop"),
        (["Cover the carpet with a sheet", "Wash the grate"], 1, "Drop the sheet"),
        (["Whisk the batter", "Pour batter into the mug", "Serve"], 2, "a second time"),
        (["Brush wax on the mug", "Dip the mug"], 1, "a second time"),
        (["Cook for 20 seconds", "Serve the pancakes"], 1, "a second time"),
        (["Wipe the dust off with the brush", "Wipe the mug with the cloth"], 1, "with the brush"),
    ],
)  # fmt: skip
def test_extra_step_that_makes_no_sense_is_not_offered(steps, index, never):
    assert not any(never in text for text in extra_texts(steps, index))


def test_thing_taken_off_is_dropped_once_it_is_off():
    assert "Drop the roof" in extra_texts(["Take off the roof", "Check the frame"], 1)
    assert "Drop the roof" not in extra_texts(["Take off the roof", "Check the frame"], 0)


def test_another_of_a_measured_thing_is_one():
    texts = extra_texts(["Cut two lengths of wick", "Melt the wax"], 1)

    assert "Cut another length of wick" in texts


def test_last_resort_repeats_no_step_that_says_more():
    rows = rows_of(
        [error("E01", ErrorType.INSERTION, 2)],
        steps=["Cook the rice", "Cook for 20 seconds more", "Serve"],
    )

    assert rows[2].text == "Cook the rice a second time"


@pytest.mark.parametrize("seed", range(6))
def test_thing_put_away_is_not_spilled_a_little_later(seed):
    steps = ["Get the milk", "Pour the milk into the pan", "Put the milk away", "Ponder", "Rest"]

    row = rows_of([error("E01", ErrorType.INSERTION, 4)], steps=steps, seed=seed)[4]

    assert "milk" not in row.text or row.text.endswith("a second time")
