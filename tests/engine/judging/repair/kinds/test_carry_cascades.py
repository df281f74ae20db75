"""Later steps name what is there."""

from tests.engine.judging.takes import Rows, error, repaired_by

TEXTS = ["Get cucumber from the fridge", "Wash cucumber with water", "Wipe the table"]
R = Rows(TEXTS)


def test_replaced_thing_is_replaced_later():
    errors, corrections = [error("E01", 0, "S")], ()
    rows = [R.e(0, "Get zucchini from the fridge"), *R.u(1, 2)]

    repaired = repaired_by("carry_cascades", TEXTS, rows, errors, corrections)

    assert repaired == [
        R.e(0, "Get zucchini from the fridge"),
        R.a(1, "Wash zucchini with water"),
        *R.u(2),
    ]
