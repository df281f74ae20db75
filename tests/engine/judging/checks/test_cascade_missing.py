"""A thing that was replaced is replaced in the steps after."""

from tests.engine.judging.takes import Rows, case, error, found, identity

TEXTS = [
    "Get cucumber from the refrigerator",
    "Wash cucumber with water",
    "Chop cucumber on the board",
]
ERRORS = (error("E01", 0, "S"),)
CORRECTIONS = ()
R = Rows(TEXTS)


def test_cascade_missing_is_found():
    rows = [
        R.e(0, "Get zucchini from the refrigerator"),
        R.a(1, "Wash zucchini with water"),
        *R.u(2),
    ]

    assert found("CASCADE_MISSING", case(TEXTS, rows, ERRORS, CORRECTIONS)) == [
        (2, "E01", "cucumber")
    ]


def test_cascade_missing_is_not_found_where_it_is_not():
    rows = [
        R.e(0, "Get zucchini from the refrigerator"),
        R.a(1, "Wash zucchini with water"),
        R.a(2, "Chop zucchini on the board"),
    ]

    assert found("CASCADE_MISSING", case(TEXTS, rows, ERRORS, CORRECTIONS)) == []
    assert found("CASCADE_MISSING", identity(TEXTS)) == []
