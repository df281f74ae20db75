"""Heads are found in texts whatever their writing, and replaced with everything agreeing."""

import pytest

from generation.engine.english.words import (
    Noun,
    mentions,
    preposition_before,
    replace_noun,
    spans_of,
    with_determiner,
)


@pytest.mark.parametrize(
    ("text", "head", "found"),
    [
        ("Wipe the counter top", "countertop", ["counter top"]),
        ("Wipe the countertop", "counter_top", ["countertop"]),
        ("Crack eggs into the egg tray", "egg", ["eggs", "egg"]),
        ("Use the fine-mesh sieve.", "fine_mesh_sieve", ["fine-mesh sieve"]),
        ("Get the celeries", "celery", ["celeries"]),
        ("Get the pan", "panini", []),
        ("Get the cup", "", []),
    ],
)
def test_head_is_found_in_every_spelling(text, head, found):
    assert [text[span.start : span.end] for span in spans_of(text, head)] == found


@pytest.mark.parametrize(
    ("text", "head", "noun", "expected"),
    [
        ("Get a bowl", "bowl", Noun("egg cup"), "Get an egg cup"),
        ("Get an onion", "onion", Noun("potato"), "Get a potato"),
        ("Get a bowl", "bowl", Noun("milk", is_mass=True), "Get some milk"),
        ("A cup is hot", "cup", Noun("oven"), "An oven is hot"),
        ("Tighten both axle nuts", "axle_nuts", Noun("brake bolt"), "Tighten both brake bolts"),
        ("Slice the tomatoes", "tomato", Noun("knife"), "Slice the knives"),
        ("Tomato goes in", "tomato", Noun("onion"), "Onion goes in"),
        ("Get noodles", "noodles", Noun("rice", is_mass=True), "Get rice"),
    ],
)
def test_noun_is_replaced_with_agreement(text, head, noun, expected):
    assert replace_noun(text, spans_of(text, head)[0], noun) == expected


def test_governing_preposition_is_found_over_determiner_and_quality():
    text = "Pour milk into the large cup"

    assert preposition_before(text, spans_of(text, "cup")[0], frozenset({"into"})) == "into"


def test_span_takes_in_its_determiner():
    text = "Wash the cup"
    span = with_determiner(text, spans_of(text, "cup")[0])

    assert text[span.start : span.end] == "the cup"


def test_part_of_a_longer_word_is_no_mention():
    assert not mentions("Open the cupboard", "cup")
