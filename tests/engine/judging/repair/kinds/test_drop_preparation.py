"""What nobody chopped is not called chopped."""

from tests.engine.judging.takes import Rows, error, repaired_by

TEXTS = ["Get a tomato", "Chop the tomato", "Add the chopped tomato to the bowl"]
R = Rows(TEXTS)


def test_participle_is_left_out():
    errors, corrections = [error("E01", 1, "S")], ()
    rows = [*R.u(0), R.e(1, "Hum a tune"), *R.u(2)]

    repaired = repaired_by("drop_preparation", TEXTS, rows, errors, corrections)

    assert repaired == [*R.u(0), R.e(1, "Hum a tune"), R.a(2, "Add the tomato to the bowl")]
