"""Only planned swaps change the order."""

from tests.engine.judging.takes import Rows, case, error, found, identity

TEXTS = ["Get a cup", "Wash the cup", "Dry the cup"]
ERRORS = (error("E01", 1, "T"),)
CORRECTIONS = ()
R = Rows(TEXTS)


def test_order_changed_is_found():
    rows = R.u(0, 2, 1)

    assert found("ORDER_CHANGED", case(TEXTS, rows, ERRORS, CORRECTIONS)) == [(2, None, None)]


def test_order_changed_is_not_found_where_it_is_not():
    rows = [*R.u(0), R.mt(2), R.ms(1)]

    assert found("ORDER_CHANGED", case(TEXTS, rows, ERRORS, CORRECTIONS)) == []
    assert found("ORDER_CHANGED", identity(TEXTS)) == []
