"""What is needed is got in the step that needs it."""

from tests.engine.judging.takes import Rows, error, repaired_by

TEXTS = ["Get a knife", "Cut the tomato with the knife", "Wash the tomato"]
R = Rows(TEXTS)


def test_thing_that_nobody_got_is_got():
    errors, corrections = [error("E01", 0, "D")], ()
    rows = [R.d(0), *R.u(1, 2)]

    repaired = repaired_by("get_before_use", TEXTS, rows, errors, corrections)

    assert repaired == [R.d(0), R.a(1, "Get the knife and cut the tomato with the knife"), *R.u(2)]
