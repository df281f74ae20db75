"""What is closed is not closed."""

from tests.engine.judging.takes import Rows, case, error, found, identity

TEXTS = ["Open the drawer", "Get a spoon from the drawer", "Close the drawer"]
ERRORS = (error("E01", 1, "I"),)
CORRECTIONS = ()
R = Rows(TEXTS)


def test_already_closed_is_found():
    rows = [*R.u(0, 1, 2), R.i("Close the drawer")]

    assert found("ALREADY_CLOSED", case(TEXTS, rows, ERRORS, CORRECTIONS)) == [(3, "E01", "drawer")]


def test_already_closed_is_not_found_where_it_is_not():
    rows = [*R.u(0), R.i("Close the drawer"), R.a(1, "Open the drawer"), *R.u(2)]

    assert found("ALREADY_CLOSED", case(TEXTS, rows, ERRORS, CORRECTIONS)) == []
    assert found("ALREADY_CLOSED", identity(TEXTS)) == []
