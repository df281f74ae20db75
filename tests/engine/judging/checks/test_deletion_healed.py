"""A deleted step is not done by the row beside it."""

from tests.engine.judging.takes import Rows, case, error, found, identity

TEXTS = ["Get a cup", "Wash the cup", "Dry the cup"]
ERRORS = (error("E01", 1, "D"),)
CORRECTIONS = ()
R = Rows(TEXTS)


def test_deletion_healed_is_found():
    rows = [*R.u(0), R.d(1), R.a(2, "Wash the cup")]

    assert found("DELETION_HEALED", case(TEXTS, rows, ERRORS, CORRECTIONS)) == [(1, "E01", None)]


def test_deletion_healed_is_not_found_where_it_is_not():
    rows = [*R.u(0), R.d(1), *R.u(2)]

    assert found("DELETION_HEALED", case(TEXTS, rows, ERRORS, CORRECTIONS)) == []
    assert found("DELETION_HEALED", identity(TEXTS)) == []


def test_correction_may_do_the_deleted_step():
    rows = [*R.u(0), R.d(1), R.c("Wash the cup"), *R.u(2)]

    assert found("DELETION_HEALED", case(TEXTS, rows, ERRORS)) == []
