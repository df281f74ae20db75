import pytest

from benchmarks.engine.charts import Estimate, drawn_curve, forest, piece
from benchmarks.engine.shown import parts_of, value_in_words
from benchmarks.engine.task import Curve


def test_forest_reaches_from_0_to_1_and_further_where_figures_do():
    one = forest([Estimate("a", "file", 0.5, 0.25, 0.75)])
    below = forest([Estimate("a", "file", -0.5), Estimate("b", "file", 1.0)])

    assert (one.marks[0].x, one.marks[0].low_x, one.marks[0].width) == (130.0, 73.0, 114.0)
    assert [label for _, label in one.ticks] == ["0.00", "0.25", "0.50", "0.75", "1.00"]
    assert below.ticks[0][1] == "-0.50"
    assert below.marks[0].low_x is None
    assert forest([]) is None


def test_curve_has_a_line_per_figure_and_its_numbers():
    drawn = drawn_curve(Curve((0.9, 0.1), {"recall": (0.5, 1.0), "f1": (0.4, None)}))

    assert [line.name for line in drawn.lines] == ["Recall", "F1"]
    assert drawn.lines[0].points == "486.0,110.0 34.0,34.0"
    assert drawn.rows == (("0.9", "0.500", "0.400"), ("0.1", "1.000", "–"))


def test_ticks_of_scores_that_lie_close_together_differ():
    drawn = drawn_curve(Curve((0.1079, 0.0911), {"f1": (0.4, 0.5)}))

    assert [label for _, label in drawn.x_ticks] == ["0.091", "0.095", "0.100", "0.104", "0.108"]


def test_pieces_stay_on_the_timeline():
    found = piece(9.0, 30.0, 10.0, "mistake", "mistake")

    assert (found.left, found.width) == ("90.00", "10.00")
    assert found.label == "mistake, 9.0 to 30.0 s"


def test_payload_is_shown_part_by_part():
    parts = parts_of({"goal": "Tea", "before": ["Boil"], "done": [[0.5, "Pour"]], "now_s": 2.0,
                      "question": "asked above"})  # fmt: skip

    assert [(part.title, part.text, part.lines, part.rows) for part in parts] == [
        ("Goal", "Tea", (), ()),
        ("Before", "", ("Boil",), ()),
        ("Done", "", (), (("0.5", "Pour"),)),
        ("Now", "2 s", (), ()),
    ]


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (None, ""),
        ({"answer": "speak", "text": "Stop."}, "speak: Stop."),
        ({"answer": "no", "score": None}, "no"),
        ({"intervals": []}, "nothing"),
        ({"text": "The pot is cold."}, "The pot is cold."),
        ({"score": 4, "reason": "near"}, "score 4, reason near"),
    ],
)
def test_values_are_shown_in_words(value, words):
    assert value_in_words(value) == words
