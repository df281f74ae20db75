"""In part does not follow in full."""

from tests.engine.judging.takes import Rows, case, error, found, identity

TEXTS = ["Tighten the nut fully", "Check the nut", "Spin the wheel"]
ERRORS = (error("E01", 1, "S"),)
CORRECTIONS = ()
R = Rows(TEXTS)


def test_degree_reversed_is_found():
    rows = [*R.u(0), R.e(1, "Tighten the nut partially"), *R.u(2)]

    assert found("DEGREE_REVERSED", case(TEXTS, rows, ERRORS, CORRECTIONS)) == [(1, "E01", None)]


def test_degree_reversed_is_not_found_where_it_is_not():
    rows = [*R.u(0), R.e(1, "Tighten the bolt partially"), *R.u(2)]

    assert found("DEGREE_REVERSED", case(TEXTS, rows, ERRORS, CORRECTIONS)) == []
    assert found("DEGREE_REVERSED", identity(TEXTS)) == []


def test_correction_may_undo_what_was_too_much():
    rows = [R.e(0, "Tighten the nut loosely"), R.c("Tighten the nut partially"), *R.u(1, 2)]
    rows[0] = R.e(0, "Tighten the nut completely")
    errors = (error("E01", 0, "S"),)

    assert found("DEGREE_REVERSED", case(TEXTS, rows, errors, CORRECTIONS)) == []
