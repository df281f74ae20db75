"""Nothing follows from what has not happened."""

from tests.engine.judging.takes import Rows, case, error, found, identity

TEXTS = [
    "Get cucumber from the refrigerator",
    "Wash cucumber with water",
    "Chop cucumber on the board",
]
ERRORS = (error("E01", 1, "S"),)
CORRECTIONS = ()
R = Rows(TEXTS)


def test_cascade_before_cause_is_found():
    rows = [*R.u(0), R.a(1, "Wash zucchini"), R.e(2, "Chop zucchini on the board")]

    assert found("CASCADE_BEFORE_CAUSE", case(TEXTS, rows, ERRORS, CORRECTIONS)) == [
        (1, "E01", None)
    ]


def test_cascade_before_cause_is_not_found_where_it_is_not():
    rows = [*R.u(0), R.e(1, "Wash zucchini"), R.a(2, "Chop zucchini on the board")]

    assert found("CASCADE_BEFORE_CAUSE", case(TEXTS, rows, ERRORS, CORRECTIONS)) == []
    assert found("CASCADE_BEFORE_CAUSE", identity(TEXTS)) == []
