"""Nothing comes out of what is closed."""

from tests.engine.judging.takes import Rows, case, error, found, identity

TEXTS = ["Open the drawer", "Get a spoon from the drawer", "Close the drawer"]
ERRORS = (error("E01", 1, "I"),)
CORRECTIONS = ()
R = Rows(TEXTS)


def test_use_while_closed_is_found():
    rows = [*R.u(0), R.i("Close the drawer"), *R.u(1, 2)]

    assert found("USE_WHILE_CLOSED", case(TEXTS, rows, ERRORS, CORRECTIONS)) == [
        (2, None, "drawer")
    ]


def test_use_while_closed_is_not_found_where_it_is_not():
    rows = [*R.u(0), R.i("Close the window"), *R.u(1, 2)]

    assert found("USE_WHILE_CLOSED", case(TEXTS, rows, ERRORS, CORRECTIONS)) == []
    assert found("USE_WHILE_CLOSED", identity(TEXTS)) == []
