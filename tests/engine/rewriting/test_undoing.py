"""Actions are taken back as a person would take them back."""

from pathlib import Path

import pytest

from generation.engine.english.words import mentions
from generation.engine.rewriting.lexicon.domains import Domain
from generation.engine.rewriting.undoing import set_aside, undo_of
from tests.golden import assert_golden

GOLDEN = Path(__file__).parent / "golden" / "undoing.json"
# What is done, by what the clause that takes it back has to name.
DONE = {
    "Get a plate from the cabinet": "plate",
    "Put the wrench back in the stand": "wrench",
    "Place the pot on the stove": "pot",
    "Pour milk on the countertop": "milk",
    "Pour milk into coffee": "milk",
    "Add turmeric to the egg": "turmeric",
    "Place the test tube in an erect position on the box": "test_tube",
    "Position the wheel beside the fork": "wheel",
    "Pour milk beside the cup": "milk",
    "Open the lid": "lid",
    "Cover the onion": "onion",
    "Spread the butter beside the bread": "butter",
    "Turn off the stove": "stove",
    "Tighten the nut with a wrench": "nut",
    "Remove the wheel from the frame": "wheel",
    "Dice the onion": "onion",
    "Stir the tea": "tea",
    "Wait for a minute": "minute",
    "Fill in the table beside the worksheet": "table",
}


def test_action_is_undone_as_it_was_done():
    undone = {text: undo_of(text, Domain.KITCHEN) for text in DONE}

    assert [text for text, thing in DONE.items() if not mentions(undone[text], thing)] == []
    assert_golden(GOLDEN, undone)


@pytest.mark.parametrize(("thing", "is_poured"), [("the fork", False), ("the cold water", True)])
def test_set_aside_names_the_thing_and_pours_liquids(thing, is_poured):
    clause = set_aside(thing, Domain.KITCHEN)

    assert thing in clause
    assert clause.startswith("pour ") is is_poured


@pytest.mark.parametrize("domain", [Domain.KITCHEN, Domain.GENERAL])
def test_drink_in_a_glass_is_poured_out_in_every_domain(domain):
    undone = undo_of("Fill the glass with lemonade", domain)

    assert undone.startswith(("empty ", "pour "))
    assert "the glass" in undone


def test_one_of_two_is_undone_by_its_name():
    assert undo_of("Fold only one of the sides to the middle", Domain.GENERAL) == "unfold the sides"
