"""What is no mistake or no sensible one; and what must not be accused."""

import pytest

from tests.engine.judging.takes import Rows, case, error, found

TEXTS = ["Pour the milk into the jug", "Attach the wheel to the frame", "Check the brakes"]


def replaced(index, text):
    rows = Rows(TEXTS)
    before, after = rows.u(*range(index)), rows.u(*range(index + 1, len(TEXTS)))
    return case(TEXTS, [*before, rows.e(index, text), *after], [error("E01", index, "S")])


@pytest.mark.parametrize(
    "text",
    [
        "Look at the jug instead of the wheel",
        "Reach past the jug to the wheel",
        "Press on the wheel with a thumb",
        "Brush against the frame with a sleeve",
        "Lean over the frame",
        "Set the wheel down too close to the frame",
    ],
)
def test_no_mistake_is_a_look_or_a_touch(text):
    assert found("NO_MISTAKE", replaced(1, text)) == [(1, "E01", None)]


@pytest.mark.parametrize(
    ("index", "text"),
    [
        (1, "Attach the wheel to the jug"),
        (1, "Shake the jug"),
        (1, "Shake off the drips"),
        (1, "Check the angle of the wheel"),
        (1, "Measure 12 ounces of milk"),
        (1, "Look for the jug"),
        (1, "Test the wheel"),
        (1, "Press the wheel flat"),
        (1, "Attach the wheel to the frame"),
        (1, "Hang the wheel to the frame"),
        (1, "Pat the wheel dry"),
        (1, "Set the wheel down on the jug"),
        (2, "Check the wheel"),
    ],
)
def test_no_mistake_leaves_real_acts_alone(index, text):
    assert found("NO_MISTAKE", replaced(index, text)) == []


@pytest.mark.parametrize(
    "text", ["Attach only half of the wheel to the frame", "Plug in only part of the heater"]
)
def test_impossible_count_of_part_of_one_thing(text):
    assert found("IMPOSSIBLE_COUNT", replaced(1, text)) == [(1, "E01", None)]


@pytest.mark.parametrize(
    "text",
    ["Attach some of the wheels to the frame", "Wipe only half of the wheel", "Attach two wheels"],
)
def test_impossible_count_leaves_possible_amounts_alone(text):
    assert found("IMPOSSIBLE_COUNT", replaced(1, text)) == []


def test_impossible_count_of_more_than_are_listed():
    texts = ["Put two blocks on the plate in the order of blue and red"]
    rows = [Rows(texts).we(0, "Put six blocks on the plate in the order of blue and red")]

    checked = case(texts, rows, [error("E01", 0, "WE")])

    assert found("IMPOSSIBLE_COUNT", checked) == [(0, "E01", None)]


def test_impossible_count_of_more_than_there_are():
    texts = ["Put three plates on the table", "Wash the plates"]
    rows = Rows(texts)
    checked = case(texts, [*rows.u(0), rows.we(1, "Wash all six plates")], [error("E01", 1, "WE")])

    assert found("IMPOSSIBLE_COUNT", checked) == [(1, "E01", None)]


def test_impossible_count_reads_no_number_without_end():
    assert found("IMPOSSIBLE_COUNT", replaced(1, f"Attach all {'9' * 5000} wheels")) == []


LAMP = ["Cut the foil", "Brush flux on the foil", "Pick up a pair of tweezers", "Get the cup"]


def lamp(index, text, kind="WE"):
    rows = Rows(LAMP)
    before, after = rows.u(*range(index)), rows.u(*range(index + 1, len(LAMP)))
    written = rows.we(index, text) if kind == "WE" else rows.e(index, text)
    return case(LAMP, [*before, written, *after], [error("E01", index, kind)])


def test_thing_not_at_hand_is_in_no_step():
    checked = lamp(1, "Brush flux on the price tag")

    assert found("THING_NOT_AT_HAND", checked) == [(1, "E01", "price tag")]


@pytest.mark.parametrize(
    "text",
    [
        "Brush flux on the cup",
        "Brush flux on a price tag",
        "Brush flux on the rim of the foil",
        "Brush flux on the bolts of the cup",
        "Brush flux on the table",
        "Hang up the price tag",
    ],
)
def test_thing_not_at_hand_leaves_other_texts_alone(text):
    assert found("THING_NOT_AT_HAND", lamp(1, text)) == []


def test_what_belongs_to_the_domain_is_at_hand():
    texts = ["Pour the milk into the bowl", "Stir the milk"]
    rows = Rows(texts)
    checked = case(
        texts, [rows.we(0, "Pour the milk into the mug"), *rows.u(1)], [error("E01", 0, "WE")]
    )

    assert found("THING_NOT_AT_HAND", checked) == []


@pytest.mark.parametrize(
    ("index", "text", "word"),
    [
        (0, "Wipe it with a cloth", "it"),
        (0, "Cut the foil with them", "them"),
        (2, "Pick up the pair", "pair"),
        (1, "Brush the teaspoon on the foil", "teaspoon"),
    ],
)
def test_pronoun_of_nothing(index, text, word):
    assert found("PRONOUN_OF_NOTHING", lamp(index, text, "S")) == [(index, "E01", word)]


@pytest.mark.parametrize(
    ("index", "text"),
    [
        (2, "Pick up the pair of scissors"),
        (1, "Cut the foil and brush flux on it"),
        (1, "Wipe it dry"),
        (3, "Get the cups and wash them"),
        (3, "Wash them in the cup"),
    ],
)
def test_pronoun_of_nothing_leaves_what_is_named_alone(index, text):
    assert found("PRONOUN_OF_NOTHING", lamp(index, text, "S")) == []
