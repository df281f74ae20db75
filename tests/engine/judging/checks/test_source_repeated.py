"""The second row of a step is the one too many."""

from tests.engine.judging.takes import Rows, case, found, identity

TEXTS = ["Get a cup", "Wash the cup", "Dry the cup"]
ERRORS = ()
CORRECTIONS = ()
R = Rows(TEXTS)


def test_source_repeated_is_found():
    rows = [*R.u(0, 1), R.a(1, "Wash it again"), *R.u(2)]

    assert found("SOURCE_REPEATED", case(TEXTS, rows, ERRORS, CORRECTIONS)) == [(2, "E01", "1")]


def test_source_repeated_is_not_found_where_it_is_not():
    rows = R.u(0, 1, 2)

    assert found("SOURCE_REPEATED", case(TEXTS, rows, ERRORS, CORRECTIONS)) == []
    assert found("SOURCE_REPEATED", identity(TEXTS)) == []
