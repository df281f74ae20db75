"""Where a role stands in the text of its step."""

import pytest

from generation.engine.rewriting.role_text import role_span, words_of_role
from generation.engine.rewriting.scene import scene_of


def step_of(text, semrep):
    return scene_of("Cooking", [(text, semrep)]).steps[0]


def test_thing_named_twice_is_found_behind_the_preposition_of_its_role():
    step = step_of(
        "Put the lid of the pot on the pot",
        "PUT(Object: lid(of(pot)), Destination: on(pot))",
    )

    span = role_span(step, step.text, "Destination", "pot")

    assert (span.start, step.text[span.start : span.end]) == (30, "pot")


def test_thing_that_the_text_does_not_name_is_nowhere():
    step = step_of("Water the plant", "WATER(Object: plant, Instrument: with(can))")

    assert role_span(step, step.text, "Instrument", "can") is None


@pytest.mark.parametrize(
    ("role", "words"),
    [("Object", ["cold", "milk"]), ("Manner", ["slowly"]), ("Location", [])],
)
def test_words_of_a_role(role, words):
    step = step_of(
        "Pour the cold milk slowly into the cup",
        "POUR(Object: milk, Manner: slowly, Destination: into(cup))",
    )

    assert words_of_role(step, step.text, role) == words
