"""A row without an id is the planned event that no other row is."""

from tests.engine.judging.takes import Rows, correction, error, repaired_by

TEXTS = ["Get a cup", "Wash the cup", "Dry the cup"]
R = Rows(TEXTS)


def test_insertion_gets_the_id_that_is_missing():
    errors, corrections = [error("E01", 1, "I")], ()
    rows = [*R.u(0), R.i("Spill water", None), *R.u(1, 2)]

    repaired = repaired_by("adopt_lost_id", TEXTS, rows, errors, corrections)

    assert repaired == [*R.u(0), R.i("Spill water"), *R.u(1, 2)]


def test_correction_gets_the_id_that_is_missing():
    errors, corrections = [error("E01", 1, "I")], [correction("C1", "E01", 1)]
    rows = [*R.u(0), R.i("Spill water"), *R.u(1), R.c("Wipe up the water", "C7", "E01"), *R.u(2)]

    repaired = repaired_by("adopt_lost_id", TEXTS, rows, errors, corrections)

    assert repaired == [
        *R.u(0),
        R.i("Spill water"),
        *R.u(1),
        R.c("Wipe up the water", "C1", "E01"),
        *R.u(2),
    ]
