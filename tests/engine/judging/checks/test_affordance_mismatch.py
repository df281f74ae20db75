"""Spices are not chopped."""

from tests.engine.judging.takes import Rows, case, error, found, identity

TEXTS = [
    "Get cucumber from the refrigerator",
    "Wash cucumber with water",
    "Chop cucumber on the board",
]
ERRORS = (error("E01", 0, "S"),)
CORRECTIONS = ()
R = Rows(TEXTS)


def test_affordance_mismatch_is_found():
    rows = [
        R.e(0, "Get black pepper"),
        R.a(1, "Wash black pepper with water"),
        R.a(2, "Chop black pepper on the board"),
    ]

    assert found("AFFORDANCE_MISMATCH", case(TEXTS, rows, ERRORS, CORRECTIONS)) == [
        (1, "E01", "black_pepper"),
        (2, "E01", "black_pepper"),
    ]


def test_affordance_mismatch_is_not_found_where_it_is_not():
    rows = [
        R.e(0, "Get zucchini"),
        R.a(1, "Wash zucchini with water"),
        R.a(2, "Chop zucchini on the board"),
    ]

    assert found("AFFORDANCE_MISMATCH", case(TEXTS, rows, ERRORS, CORRECTIONS)) == []
    assert found("AFFORDANCE_MISMATCH", identity(TEXTS)) == []
