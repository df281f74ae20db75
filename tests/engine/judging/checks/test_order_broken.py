"""Nothing is closed before it is opened."""

from tests.engine.judging.takes import Rows, case, error, found, identity

TEXTS = ["Open the drawer", "Get a spoon from the drawer", "Close the drawer"]
ERRORS = (error("E01", 0, "I"),)
CORRECTIONS = ()
R = Rows(TEXTS)


def test_order_broken_is_found():
    rows = [R.i("Close the drawer"), *R.u(0, 1, 2)]

    assert found("ORDER_BROKEN", case(TEXTS, rows, ERRORS, CORRECTIONS)) == [(0, "E01", "drawer")]


def test_order_broken_is_not_found_in_sound_rows():
    rows = [*R.u(0, 1, 2), R.i("Close the window")]

    assert found("ORDER_BROKEN", case(TEXTS, rows, ERRORS, CORRECTIONS)) == []
    assert found("ORDER_BROKEN", identity(TEXTS)) == []
