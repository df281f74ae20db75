"""Imperatives taken apart and turned into gerunds."""

import random
import re
import time

import pytest

from generation.engine.english.instructions import (
    WrittenPhrase,
    as_mentioned,
    clause_of,
    core_of,
    gerund_of,
    imperative,
    without_last_joiners,
)


def test_clause_has_its_verb_object_and_phrases():
    clause = clause_of("Pry one side of the tyre off with the tyre lever.")

    assert (clause.verb, clause.object_phrase) == ("pry off", "one side of the tyre")
    assert clause.phrases == (WrittenPhrase("with", "the tyre lever"),)


@pytest.mark.parametrize(
    ("text", "object_phrase", "phrases"),
    [
        ("Position the wheel correctly into the fork", "the wheel", [("", ""), ("into", "fork")]),
        ("Mix the egg and flour in the bowl", "the egg and flour", [("in", "bowl")]),
        ("Lift the lid and stir the tea", "the lid", []),
        ("Put the wheel in front of the fork", "the wheel", [("in front of", "fork")]),
        ("Wait", "", []),
        ("", "", []),
    ],
)
def test_phrases_end_where_the_next_begins(text, object_phrase, phrases):
    clause = clause_of(text)

    assert clause.object_phrase == object_phrase
    found = [(item.preposition, item.words.removeprefix("the ")) for item in clause.phrases]
    assert [pair for pair in found if pair[1]] == [pair for pair in phrases if pair[1]]


@pytest.mark.parametrize(
    ("text", "core"),
    [
        ("Pour-Pour the milk", "Pour the milk"),  # CaptainCook4D writes the action twice
        ("slice-slice 1/4 onion", "slice 1/4 onion"),
        ("add-1 egg to the bowl", "add 1 egg to the bowl"),
        ("Boil the water. (It takes a while.)", "Boil the water"),
        ("whisk-In a bowl, whisk the curd", "whisk the curd"),
        ("Stir-fry the rice", "Stir-fry the rice"),
        ("Add salt, oil and water", "Add salt, oil and water"),
    ],
)
def test_core_of_a_step_is_its_instruction(text, core):
    assert core_of(text) == core


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Waits for 1-2 minutes", "wait for 1-2 minutes"),
        ("Returns flour to the shelf.", "return flour to the shelf"),
        ("Press the button", "press the button"),
    ],
)
def test_imperative_has_the_base_form(text, expected):
    assert imperative(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Turn on the stove", "turning on the stove"),
        ("Rotate the pedal and place the cloth", "rotating the pedal and placing the cloth"),
        ("Add salt and pepper", "adding salt and pepper"),
        ("Gently push the egg", "gently pushing the egg"),
        ("Cut the bread", "cutting the bread"),
    ],
)
def test_gerund_of_a_step(text, expected):
    assert gerund_of(text) == expected


@pytest.mark.parametrize(
    ("phrase", "expected"),
    [
        ("a plate", "the plate"),
        ("some milk", "the milk"),
        ("a little water", "the water"),
        ("one drop of oil", "the drop of oil"),
        ("the lid", "the lid"),
        ("your hands", "your hands"),
        ("butter", "the butter"),
    ],
)
def test_phrase_is_named_again(phrase, expected):
    assert as_mentioned(phrase) == expected


def plain_end(text):
    return re.sub(r"(?:[,;\s]|\b(?:and|then)\b)+$", "", text, flags=re.IGNORECASE)


@pytest.mark.parametrize("seed", range(30))
def test_joiners_at_the_end_go_as_a_plain_search_would_take_them(seed):
    rng = random.Random(seed)
    pieces = ["and", "then", ", ", " ", "; ", "And ", "sand", "thenar", "stir", "\n", "_and"]
    text = "".join(rng.choice(pieces) for _ in range(rng.randrange(12)))

    assert without_last_joiners(text) == plain_end(text)


def test_work_on_many_joiners_grows_with_their_number():
    """A search from the front tried every "and" up to the end: 256 times the work for 16 times."""

    def seconds(count):
        text = "and then " * count + "stop"
        times = []
        for _ in range(5):
            start = time.process_time()
            without_last_joiners(text)
            without_last_joiners(text[: -len("stop")])
            times.append(time.process_time() - start)
        return min(times)

    assert seconds(8000) < 80 * seconds(500)
