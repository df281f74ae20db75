"""Rows go where they belong."""

from tests.engine.judging.takes import Rows, correction, error, repaired_by

TEXTS = ["Get a cup", "Wash the cup", "Dry the cup"]
R = Rows(TEXTS)


def test_step_goes_back_to_its_place():
    errors, corrections = (), ()
    rows = R.u(0, 2, 1)

    repaired = repaired_by("move_row", TEXTS, rows, errors, corrections)

    assert repaired == R.u(0, 1, 2)


def test_insertion_goes_before_its_step():
    errors, corrections = [error("E01", 1, "I")], ()
    rows = [*R.u(0, 1), R.i("Spill water"), *R.u(2)]

    repaired = repaired_by("move_row", TEXTS, rows, errors, corrections)

    assert repaired == [*R.u(0), R.i("Spill water"), *R.u(1, 2)]


def test_correction_follows_the_noticing():
    errors, corrections = [error("E01", 1, "S")], [correction("C1", "E01", 1)]
    rows = [*R.u(0), R.e(1, "Fill the cup"), *R.u(2), R.c("Empty the cup")]

    repaired = repaired_by("move_row", TEXTS, rows, errors, corrections)

    assert repaired == [*R.u(0), R.e(1, "Fill the cup"), R.c("Empty the cup"), *R.u(2)]
