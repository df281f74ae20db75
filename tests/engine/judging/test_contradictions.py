"""The state of things over the steps, and what is not held against a writer."""

import pytest

from generation.engine.judging.contradictions import contradictions_of, excused_keys


def codes(texts, **given):
    return [(item.position, item.code) for item in contradictions_of(texts, **given)]


@pytest.mark.parametrize(
    "texts",
    [
        ["Put away the milk", "Get the milk", "Pour the milk into the cup"],
        ["Put away the milk", "Retrieve the milk from the fridge", "Pour the milk into the cup"],
        ["Put away the cup", "Move the cup to the table"],
        ["Throw the onion into the pan", "Stir the onion"],
        ["Throw the napkin in the trash can", "Get another napkin", "Wipe with the napkin"],
        ["Open the jar", "Close the jar", "Open the jar"],
        ["Get the pot", "Put the pot on the stove", "Get the pot"],
        ["Put the pan on the stove", "Stir the eggs in the pan"],
        ["Pour milk into the cup", "Pour milk into the pot", "Stir the milk in the cup"],
        ["Turn on the stove", "Turn off the stove", "Turn on the oven", "Cook the eggs"],
        ["Get a bowl, but grab a plate by mistake", "Get the bowl"],
        ["Add salt to the pan instead of the pot", "Stir the salt in the pan"],
    ],
)
def test_sensible_steps_contradict_nothing(texts):
    assert codes(texts) == []


def test_correction_may_redo_and_puts_back_within_reach():
    texts = ["Close the jar", "Stop, put the jar back and close the jar", "Open the jar"]

    assert codes(texts, corrections={1}) == []
    assert (1, "ALREADY_CLOSED") in codes(texts)


def test_step_that_is_left_out_does_nothing():
    assert codes(["Close the jar", None, "Close the jar"]) == [(2, "ALREADY_CLOSED")]


def test_contradictions_of_the_original_or_the_plan_are_excused():
    original = ["Open the jar", "Close the jar", "Close the jar", "Open the box", "Close the box"]
    planned = [*original[:3], None, original[4]]

    assert excused_keys(original, planned) == {("ALREADY_CLOSED", "jar")}


def test_use_of_a_thing_put_away_is_never_excused_by_a_deletion():
    original = ["Put away the cup", "Get the cup", "Wash the cup"]

    assert excused_keys(original, [original[0], None, original[2]]) == set()
