"""Case and punctuation make no mistake."""

from tests.engine.judging.takes import Rows, case, error, found, identity

TEXTS = ["Get a cup", "Wash the cup", "Dry the cup"]
ERRORS = (error("E01", 1, "WE"),)
CORRECTIONS = ()
R = Rows(TEXTS)


def test_error_without_change_is_found():
    rows = [*R.u(0), R.we(1, "wash the cup."), *R.u(2)]

    assert found("ERROR_WITHOUT_CHANGE", case(TEXTS, rows, ERRORS, CORRECTIONS)) == [
        (1, "E01", None)
    ]


def test_error_without_change_is_not_found_where_it_is_not():
    rows = [*R.u(0), R.we(1, "Wash the plate"), *R.u(2)]

    assert found("ERROR_WITHOUT_CHANGE", case(TEXTS, rows, ERRORS, CORRECTIONS)) == []
    assert found("ERROR_WITHOUT_CHANGE", identity(TEXTS)) == []
