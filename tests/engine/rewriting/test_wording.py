"""Which texts may stand where."""

import pytest

from generation.engine.rewriting.scene import scene_of
from generation.engine.rewriting.wording import Wording

STEPS = ["Get a cup", "Wash the cup in the sink with water", "Dry the cup", "Dry the cup"]


@pytest.fixture
def wording():
    return Wording(scene_of("Cooking", [(text, "") for text in STEPS]))


def test_text_of_another_step_is_not_new(wording):
    assert not wording.fits_at("dry the CUP.", 0)
    assert wording.fits_at("Dry the bowl", 0)


def test_text_is_new_only_once_but_may_be_repeated_where_nothing_else_fits(wording):
    assert wording.take("Drop the cup") == "Drop the cup"
    assert not wording.fits_at("drop the cup", 2)
    assert wording.fits_at("drop the cup", 2, may_repeat=True)
    assert not wording.fits_at("dry the CUP.", 0, may_repeat=True)


def test_near_duplicate_of_a_neighbour_does_not_fit(wording):
    text = "Wash the cup in the sink with some water"

    assert not wording.fits_at(text, 0)
    assert not wording.fits_at(text, 1, is_between=True)
    assert wording.fits_at(text, 3)


def test_similar_neighbours_of_the_original_are_accepted(wording):
    assert wording.fits_at("Dry the cup well", 3)


@pytest.mark.parametrize(
    ("text", "is_another"),
    [
        ("Wash the plate in the sink with water", True),
        ("Wash the big cup in the sink with water", False),
        ("Wash the cup in the sink", False),
        ("the cup", False),
        ("Scrub the plate", True),
    ],
)
def test_substitution_is_another_step(wording, text, is_another):
    assert wording.replaces(text, wording.scene.steps[1]) is is_another


def test_thing_that_a_later_step_brings_cannot_be_used_yet(wording):
    steps = ["Chop the tomato", "Get the oil from the shelf", "Pour oil into the pan", "Wait"]
    wording = Wording(scene_of("Cooking", [(text, "") for text in steps]))

    assert not wording.fits_at("Drizzle some oil over the tomato", 0)
    assert wording.fits_at("Drizzle some oil over the pan", 3)


def test_thing_that_was_not_chopped_is_not_called_so():
    steps = ["Chop the red onion", "Wait", "Heat the pan", "Wait"]
    wording = Wording(scene_of("Cooking", [(text, "") for text in steps]))
    wording.lose(wording.scene.steps[0])

    assert not wording.fits_at("Drop some of the chopped onion on the floor", 3)
    assert wording.fits_at("Drop some of the onion on the floor", 3)


def test_what_a_mistake_has_opened_no_other_one_closes(wording):
    wording.take("Open the paper tray of the printer")

    assert not wording.fits_at("Close the paper tray of the printer.", 3)
    assert wording.fits_at("Close the front cover of the printer", 3)
