"""A consequence that does harm is the original step again."""

from tests.engine.judging.takes import Rows, error, repaired_by

TEXTS = ["Turn on the tap", "Wash the cup", "Dry the cup"]
R = Rows(TEXTS)


def test_consequence_that_echoes_its_neighbour_goes():
    errors, corrections = [error("E01", 0, "S")], ()
    rows = [R.e(0, "Turn on the lamp"), *R.u(1), R.a(2, "Wash the cup.")]

    repaired = repaired_by("restore_cascade_row", TEXTS, rows, errors, corrections)

    assert repaired == [R.e(0, "Turn on the lamp"), *R.u(1, 2)]
