"""A step without a row is named by its index."""

from tests.engine.judging.takes import Rows, case, found, identity

TEXTS = ["Get a cup", "Wash the cup", "Dry the cup"]
ERRORS = ()
CORRECTIONS = ()
R = Rows(TEXTS)


def test_source_missing_is_found():
    rows = R.u(0, 2)

    assert found("SOURCE_MISSING", case(TEXTS, rows, ERRORS, CORRECTIONS)) == [(None, None, "1")]


def test_source_missing_is_not_found_where_it_is_not():
    rows = R.u(0, 1, 2)

    assert found("SOURCE_MISSING", case(TEXTS, rows, ERRORS, CORRECTIONS)) == []
    assert found("SOURCE_MISSING", identity(TEXTS)) == []


def test_deleted_step_has_its_row():
    assert found("SOURCE_MISSING", case(TEXTS, [*R.u(0), R.d(1), *R.u(2)])) == []
