"""Another word or two make no other action."""

from tests.engine.judging.takes import Rows, case, error, found, identity

TEXTS = ["Get a cup", "Wash the cup", "Dry the cup"]
ERRORS = (error("E01", 1, "S"),)
CORRECTIONS = ()
R = Rows(TEXTS)


def test_substitution_too_close_is_found():
    rows = [*R.u(0), R.e(1, "Wash the cup again"), *R.u(2)]

    assert found("SUBSTITUTION_TOO_CLOSE", case(TEXTS, rows, ERRORS, CORRECTIONS)) == [
        (1, "E01", None)
    ]


def test_substitution_too_close_is_not_found_where_it_is_not():
    rows = [*R.u(0), R.e(1, "Wash the cup and the plate"), *R.u(2)]

    assert found("SUBSTITUTION_TOO_CLOSE", case(TEXTS, rows, ERRORS, CORRECTIONS)) == []
    assert found("SUBSTITUTION_TOO_CLOSE", identity(TEXTS)) == []
