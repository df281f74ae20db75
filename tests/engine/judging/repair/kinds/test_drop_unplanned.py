"""What no plan asks for is taken back."""

from tests.engine.judging.takes import Rows, error, repaired_by

TEXTS = ["Get a cup", "Wash the cup", "Dry the cup"]
R = Rows(TEXTS)


def test_added_row_of_nobody_goes():
    errors, corrections = (), ()
    rows = [*R.u(0), R.i("Put the hand back", None), *R.u(1, 2)]

    repaired = repaired_by("drop_unplanned", TEXTS, rows, errors, corrections)

    assert repaired == R.u(0, 1, 2)


def test_consequence_of_nothing_is_the_original():
    errors, corrections = (), ()
    rows = [*R.u(0), R.a(1, "Wash the jug", "E_UNKNOWN"), *R.u(2)]

    repaired = repaired_by("drop_unplanned", TEXTS, rows, errors, corrections)

    assert repaired == R.u(0, 1, 2)


def test_second_insertion_of_one_event_goes():
    errors, corrections = [error("E01", 1, "I")], ()
    rows = [*R.u(0), R.i("Spill water"), R.i("Spill milk"), *R.u(1, 2)]

    repaired = repaired_by("drop_unplanned", TEXTS, rows, errors, corrections)

    assert repaired == [*R.u(0), R.i("Spill water"), *R.u(1, 2)]
