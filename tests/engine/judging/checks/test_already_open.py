"""What is open is not opened."""

from tests.engine.judging.takes import Rows, case, error, found, identity

TEXTS = ["Open the drawer", "Get a spoon from the drawer", "Close the drawer"]
ERRORS = (error("E01", 1, "I"),)
CORRECTIONS = ()
R = Rows(TEXTS)


def test_already_open_is_found():
    rows = [*R.u(0), R.i("Open the drawer"), *R.u(1, 2)]

    assert found("ALREADY_OPEN", case(TEXTS, rows, ERRORS, CORRECTIONS)) == [(1, "E01", "drawer")]


def test_already_open_is_not_found_where_it_is_not():
    rows = [*R.u(0, 1, 2), R.i("Open the drawer")]

    assert found("ALREADY_OPEN", case(TEXTS, rows, ERRORS, CORRECTIONS)) == []
    assert found("ALREADY_OPEN", identity(TEXTS)) == []


def test_original_that_opens_twice_is_not_held_to_it():
    texts = ["Open the drawer", "Get a spoon", "Open the drawer", "Get a fork"]
    rows = [*Rows(texts).u(0, 1, 2), Rows(texts).i("Open the drawer"), *Rows(texts).u(3)]

    assert found("ALREADY_OPEN", case(texts, rows)) == []
