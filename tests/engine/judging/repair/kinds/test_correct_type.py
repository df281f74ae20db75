"""A row gets the type of its plan."""

from tests.engine.judging.takes import Rows, error, repaired_by

TEXTS = ["Get a cup", "Wash the cup", "Dry the cup"]
R = Rows(TEXTS)


def test_type_of_the_plan_is_written():
    errors, corrections = [error("E01", 1, "S")], ()
    rows = [*R.u(0), R.we(1, "Fill the cup"), *R.u(2)]

    repaired = repaired_by("correct_type", TEXTS, rows, errors, corrections)

    assert repaired == [*R.u(0), R.e(1, "Fill the cup"), *R.u(2)]
