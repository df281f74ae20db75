"""What is off is not switched off."""

from tests.engine.judging.takes import Rows, case, error, found, identity

TEXTS = ["Turn on the stove", "Fry the eggs in the pan", "Turn off the stove"]
ERRORS = (error("E01", 1, "I"),)
CORRECTIONS = ()
R = Rows(TEXTS)


def test_already_off_is_found():
    rows = [*R.u(0, 1, 2), R.i("Turn off the stove")]

    assert found("ALREADY_OFF", case(TEXTS, rows, ERRORS, CORRECTIONS)) == [(3, "E01", "stove")]


def test_already_off_is_not_found_where_it_is_not():
    rows = [*R.u(0, 1, 2), R.c("Turn off the tap")]

    assert found("ALREADY_OFF", case(TEXTS, rows, ERRORS, CORRECTIONS)) == []
    assert found("ALREADY_OFF", identity(TEXTS)) == []
