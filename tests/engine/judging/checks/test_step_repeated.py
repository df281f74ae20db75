"""What was put away is not put away again in the same words."""

from tests.engine.judging.takes import Rows, case, error, found, identity

TEXTS = ["Get the cup", "Put away the cup", "Wipe the table"]
ERRORS = (error("E01", 1, "I"),)
CORRECTIONS = ()
R = Rows(TEXTS)


def test_step_repeated_is_found():
    rows = [*R.u(0, 1, 2), R.i("Put away the cup.")]

    assert found("STEP_REPEATED", case(TEXTS, rows, ERRORS, CORRECTIONS)) == [(3, "E01", None)]


def test_step_repeated_is_not_found_where_it_is_not():
    rows = [*R.u(0, 1, 2), R.i("Put away the cloth")]

    assert found("STEP_REPEATED", case(TEXTS, rows, ERRORS, CORRECTIONS)) == []
    assert found("STEP_REPEATED", identity(TEXTS)) == []
