"""Mistakes, consequences and corrections say whose they are."""

from tests.engine.judging.takes import Rows, case, found, identity

TEXTS = ["Get a cup", "Wash the cup", "Dry the cup"]
ERRORS = ()
CORRECTIONS = ()
R = Rows(TEXTS)


def test_event_id_missing_is_found():
    rows = [
        *R.u(0),
        R.i("Spill water", None),
        R.a(1, "Wash the jug", None),
        R.c("Wipe up the water", None),
        *R.u(2),
    ]

    assert found("EVENT_ID_MISSING", case(TEXTS, rows, ERRORS, CORRECTIONS)) == [
        (1, None, None),
        (2, None, None),
        (3, None, None),
    ]


def test_event_id_missing_is_not_found_where_it_is_not():
    rows = [*R.u(0), R.i("Spill water"), *R.u(1, 2)]

    assert found("EVENT_ID_MISSING", case(TEXTS, rows, ERRORS, CORRECTIONS)) == []
    assert found("EVENT_ID_MISSING", identity(TEXTS)) == []
