"""Every step of the original has one row."""

from dataclasses import replace

from tests.engine.judging.takes import Rows, correction, error, repaired_by

TEXTS = ["Get a cup", "Wash the cup", "Dry the cup"]
R = Rows(TEXTS)


def test_missing_step_comes_back_at_its_place():
    errors, corrections = (), ()
    rows = R.u(0, 2)

    repaired = repaired_by("restore_step", TEXTS, rows, errors, corrections)

    assert repaired == R.u(0, 1, 2)


def test_missing_deleted_step_comes_back_as_deleted():
    errors, corrections = [error("E01", 1, "D")], ()
    rows = R.u(0, 2)

    repaired = repaired_by("restore_step", TEXTS, rows, errors, corrections)

    assert repaired == [*R.u(0), R.d(1), *R.u(2)]


def test_of_two_rows_the_mistake_stays():
    errors, corrections = [error("E01", 1, "S")], ()
    rows = [*R.u(0), R.e(1, "Fill the cup"), *R.u(1, 2)]

    repaired = repaired_by("restore_step", TEXTS, rows, errors, corrections)

    assert repaired == [*R.u(0), R.e(1, "Fill the cup"), *R.u(2)]


def test_added_row_loses_its_source():
    errors, corrections = [error("E01", 1, "I")], ()
    rows = [*R.u(0), replace(R.i("Spill water"), old_index=0), *R.u(1, 2)]

    repaired = repaired_by("restore_step", TEXTS, rows, errors, corrections)

    assert repaired == [*R.u(0), R.i("Spill water"), *R.u(1, 2)]


def test_missing_step_comes_back_before_what_was_added_after_it():
    errors, corrections = [error("E01", 2, "I")], [correction("C1", "E01", 2)]
    rows = [*R.u(0), R.i("Spill water"), *R.u(2), R.c("Wipe up the water")]

    repaired = repaired_by("restore_step", TEXTS, rows, errors, corrections)

    assert repaired == [*R.u(0, 1), R.i("Spill water"), *R.u(2), R.c("Wipe up the water")]
