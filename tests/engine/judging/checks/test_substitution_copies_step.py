"""A substitution is not the step beside it."""

from tests.engine.judging.takes import Rows, case, error, found, identity

TEXTS = ["Get a cup", "Wash the cup", "Dry the cup"]
ERRORS = (error("E01", 1, "S"),)
CORRECTIONS = ()
R = Rows(TEXTS)


def test_substitution_copies_step_is_found():
    rows = [*R.u(0), R.e(1, "dry the cup."), *R.u(2)]

    assert found("SUBSTITUTION_COPIES_STEP", case(TEXTS, rows, ERRORS, CORRECTIONS)) == [
        (1, "E01", None)
    ]


def test_substitution_copies_step_is_not_found_where_it_is_not():
    rows = [*R.u(0), R.e(1, "Fill the cup"), *R.u(2)]

    assert found("SUBSTITUTION_COPIES_STEP", case(TEXTS, rows, ERRORS, CORRECTIONS)) == []
    assert found("SUBSTITUTION_COPIES_STEP", identity(TEXTS)) == []
