"""What is no mistake, and what amounts are impossible; and what must not be accused."""

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
        "Shake the wheel",
        "Set the wheel down too close to the frame",
        "Attach your wheel to the frame",
    ],
)
def test_no_mistake_is_a_look_a_touch_or_the_same_in_other_words(text):
    assert found("NO_MISTAKE", replaced(1, text)) == [(1, "E01", None)]


@pytest.mark.parametrize(
    ("index", "text"),
    [
        (1, "Attach the wheel to the jug"),
        (1, "Shake the jug"),
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
