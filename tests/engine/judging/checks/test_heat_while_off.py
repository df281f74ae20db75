"""Nothing fries on a cold stove."""

from tests.engine.judging.takes import Rows, case, error, found, identity

TEXTS = ["Turn on the stove", "Fry the eggs in the pan", "Turn off the stove"]
ERRORS = (error("E01", 1, "I"),)
CORRECTIONS = ()
R = Rows(TEXTS)


def test_heat_while_off_is_found():
    rows = [*R.u(0), R.i("Turn off the stove"), *R.u(1, 2)]

    assert found("HEAT_WHILE_OFF", case(TEXTS, rows, ERRORS, CORRECTIONS)) == [(2, None, "stove")]


def test_heat_while_off_is_not_found_where_it_is_not():
    rows = [*R.u(0), R.i("Turn off the tap"), *R.u(1, 2)]

    assert found("HEAT_WHILE_OFF", case(TEXTS, rows, ERRORS, CORRECTIONS)) == []
    assert found("HEAT_WHILE_OFF", identity(TEXTS)) == []
