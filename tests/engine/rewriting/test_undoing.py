"""Actions are taken back as a person would take them back."""

import pytest

from generation.engine.rewriting.lexicon.domains import Domain
from generation.engine.rewriting.undoing import set_aside, undo_of


@pytest.mark.parametrize(
    ("text", "undone"),
    [
        ("Get a plate from the cabinet", "put the plate back"),
        ("Put the wrench back in the stand", "bring the wrench back"),
        ("Place the pot on the stove", "take the pot off the stove"),
        ("Pour milk on the countertop", "wipe the milk off the countertop"),
        ("Pour milk into coffee", "pour the coffee with the milk away"),
        ("Add turmeric to the egg", "scoop the turmeric out of the egg"),
        ("Place the test tube in an erect position on the box", "take the test tube off the box"),
        ("Position the wheel beside the fork", "pick the wheel up again"),
        ("Pour milk beside the cup", "wipe up the milk"),
        ("Open the lid", "close the lid again"),
        ("Cover the onion", "uncover the onion"),
        ("Spread the butter beside the bread", "wipe up the butter"),
        ("Turn off the stove", "turn the stove on again"),
        ("Tighten the nut with a wrench", "loosen the nut again"),
        ("Remove the wheel from the frame", "put the wheel back"),
        ("Dice the onion", "set the onion aside"),
        ("Stir the tea", "stop stirring the tea"),
        ("Wait for a minute", "stop waiting for a minute"),
    ],
)
def test_action_is_undone_as_it_was_done(text, undone):
    assert undo_of(text, Domain.KITCHEN) == undone


@pytest.mark.parametrize(
    ("thing", "clause"),
    [("the fork", "put the fork aside"), ("the cold water", "pour the cold water away")],
)
def test_thing_in_hand_is_got_rid_of(thing, clause):
    assert set_aside(thing, Domain.KITCHEN) == clause


def test_drink_in_a_glass_is_poured_out_in_every_domain():
    for domain in (Domain.KITCHEN, Domain.GENERAL):
        undone = undo_of("Fill the glass with lemonade", domain)
        assert undone in {"empty the glass", "pour the lemonade out of the glass"}
