"""Each type of mistake has its own rows."""

from tests.engine.judging.takes import Rows, case, error, found, identity

TEXTS = ["Get a cup", "Wash the cup", "Dry the cup"]
ERRORS = (error("E01", 1, "D"),)
CORRECTIONS = ()
R = Rows(TEXTS)


def test_event_missing_is_found():
    rows = [*R.u(0, 1, 2)]

    assert found("EVENT_MISSING", case(TEXTS, rows, ERRORS, CORRECTIONS)) == [(None, "E01", None)]


def test_event_missing_is_not_found_where_it_is_not():
    rows = [*R.u(0), R.d(1), *R.u(2)]

    assert found("EVENT_MISSING", case(TEXTS, rows, ERRORS, CORRECTIONS)) == []
    assert found("EVENT_MISSING", identity(TEXTS)) == []


def test_half_a_swap_is_missing():
    swap = (error("E01", 1, "T"),)

    assert found("EVENT_MISSING", case(TEXTS, [*R.u(0, 1), R.mt(2)], swap)) == [(None, "E01", None)]
    assert found("EVENT_MISSING", case(TEXTS, [*R.u(0), R.mt(2), R.ms(1)], swap)) == []
