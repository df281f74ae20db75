"""What is on is not switched on."""

from tests.engine.judging.takes import Rows, case, error, found, identity

TEXTS = ["Turn on the stove", "Fry the eggs in the pan", "Turn off the stove"]
ERRORS = (error("E01", 1, "I"),)
CORRECTIONS = ()
R = Rows(TEXTS)


def test_already_on_is_found():
    rows = [*R.u(0), R.i("Turn on the stove"), *R.u(1, 2)]

    assert found("ALREADY_ON", case(TEXTS, rows, ERRORS, CORRECTIONS)) == [(1, "E01", "stove")]


def test_already_on_is_not_found_where_it_is_not():
    rows = [*R.u(0, 1, 2), R.i("Turn on the stove")]

    assert found("ALREADY_ON", case(TEXTS, rows, ERRORS, CORRECTIONS)) == []
    assert found("ALREADY_ON", identity(TEXTS)) == []
