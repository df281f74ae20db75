"""Slips are made of the things at hand and of the steps around, each with what puts it right."""

import string

import pytest

from generation.engine.english.analyser import tree_of_text
from generation.engine.english.words import kin, mentions
from generation.engine.rewriting.scene import scene_of
from generation.engine.rewriting.slips import (
    slip_texts,
    slips_without_things,
    sources_at,
)
from tests.engine.rewriting.take import slips_at

STEPS = [
    "Put the dog in the tub",
    "Wet the dog with the hose",
    "Pour shampoo into the cup",
    "Scrub the dog with the brush",
    "Dry the dog with a towel",
    "Wipe the tub with the sponge",
]


@pytest.fixture
def scene():
    return scene_of("Bathe a dog", [(text, "") for text in STEPS])


def texts(slips):
    return [slip.text for slip in slips]


def only(slot):
    """Return the slips with nothing but a thing of this sort."""
    formatted = {text: string.Formatter().parse(text) for text in slip_texts().with_things}
    slots = {text: [name for _, name, _, _ in parts if name] for text, parts in formatted.items()}
    return [text for text, names in slots.items() if names == [slot]]


@pytest.mark.parametrize("index", range(len(STEPS)))
def test_every_slip_names_a_thing_of_the_procedure_and_none_comes_twice(scene, index):
    found = texts(slips_at(scene, index))
    things = {kin(head) for step in scene.steps for head in step.heads}

    assert len(found) > 50
    assert len(set(found)) == len(found)
    assert [text for text in found if not any(mentions(text, thing) for thing in things)] == []


def test_nobody_drops_a_dog_or_a_tub_nor_leans_on_shampoo(scene):
    found = set(texts(slips_at(scene, 3)))

    assert {text.format(held="hose") for text in only("held")} <= found
    assert {text.format(being="wet dog") for text in only("being")} <= found
    for slot, things in {"held": ["wet dog", "shampoo"], "fixed": ["shampoo"]}.items():
        assert not {text.format(**{slot: thing}) for text in only(slot) for thing in things} & found


def test_step_is_done_to_another_thing_with_another_tool_or_once_more(scene):
    found = texts(slips_at(scene, 4))

    assert "Scrub the towel with the brush" in found
    assert "Scrub the dog with the hose" in found
    assert any(text.startswith("Scrub the dog with the brush ") for text in found)


def test_what_is_fixed_is_not_wetted_again():
    steps = ["Wet the needle", "Insert the needle into the valve", "Pump air into the ball"]
    scene = scene_of("Pump up a ball", [(text, "") for text in steps])

    again = [
        [text for text in texts(slips_at(scene, at)) if text.startswith("Wet the needle ")]
        for at in (1, 2)
    ]
    assert [bool(found) for found in again] == [True, False]


def test_later_step_is_done_too_early(scene):
    early = "Wipe the tub with the sponge "
    assert any(text.startswith(early) for text in texts(slips_at(scene, 3)))


def test_what_was_added_is_added_again_unless_the_step_is_left_out(scene):
    def added_again(left_out):
        return [
            slip for slip in slips_at(scene, 3, left_out)
            if slip.text == "Pour shampoo into the cup once more"
        ]  # fmt: skip

    (again,) = added_again(frozenset())
    assert again.repair.endswith(" extra shampoo")
    assert added_again(frozenset({2})) == []


def test_own_slips_have_a_thing_of_the_step(scene):
    found = [slip.text for source in sources_at(scene, 5, is_own=True) for slip in source()]

    steps_again = tuple(f"{text} " for text in STEPS)
    told = [text for text in found if not text.startswith((*steps_again, "Pour "))]
    assert [text for text in told if not (mentions(text, "tub") or mentions(text, "sponge"))] == []


def test_slip_with_a_thing_of_the_coming_step_is_likelier(scene):
    fits = {slip.text: slip.fit for slip in slips_at(scene, 5)}

    assert only("held")
    for text in only("held"):
        assert fits[text.format(held="sponge")] > fits[text.format(held="hose")]


def test_what_a_later_step_finds_in_its_place_is_not_put_down_elsewhere():
    steps = ["Lay the cloth on the table", "Lift the cup", "Take the cup off the table"]
    scene = scene_of("", [(text, "") for text in steps])

    assert "Put the cup down on the cloth" not in texts(slips_at(scene, 2))


def test_repair_speaks_of_what_its_slip_acts_on():
    for text, repair in slip_texts().with_things.items():
        slots = [name for _, name, _, _ in string.Formatter().parse(text) if name]
        assert slots, text
        assert set(slots) <= set(slip_texts().slots), text
        assert any(f"{{{slot}}}" in repair for slot in slots) or "finger" in repair, text


def test_slips_are_instructions():
    for slip in slips_without_things():
        assert tree_of_text(slip.text) is not None


def test_procedure_that_names_nothing_has_no_slips_with_things():
    scene = scene_of("", [("Wait", "")] * 3)

    assert list(slips_at(scene, 1)) == []
