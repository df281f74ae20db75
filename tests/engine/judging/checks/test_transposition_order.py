"""The planned pair stands reversed."""

from tests.engine.judging.takes import Rows, case, error, found, identity

TEXTS = ["Get a cup", "Wash the cup", "Dry the cup"]
ERRORS = (error("E01", 1, "T"),)
CORRECTIONS = ()
R = Rows(TEXTS)


def test_transposition_order_is_found():
    rows = [*R.u(0), R.ms(1), R.mt(2)]

    assert found("TRANSPOSITION_ORDER", case(TEXTS, rows, ERRORS, CORRECTIONS)) == [
        (1, "E01", None)
    ]


def test_transposition_order_is_not_found_where_it_is_not():
    rows = [*R.u(0), R.mt(2), R.ms(1)]

    assert found("TRANSPOSITION_ORDER", case(TEXTS, rows, ERRORS, CORRECTIONS)) == []
    assert found("TRANSPOSITION_ORDER", identity(TEXTS)) == []


def test_other_pair_than_planned_is_found():
    rows = [R.mt(1), R.ms(0), *R.u(2)]

    assert found("TRANSPOSITION_ORDER", case(TEXTS, rows, ERRORS)) == [(0, "E01", None)]
