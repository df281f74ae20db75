"""An id that the plan does not have is found on any row."""

from tests.engine.judging.takes import Rows, case, correction, error, found, identity

TEXTS = ["Get a cup", "Wash the cup", "Dry the cup"]
ERRORS = (error("E01", 1, "I"),)
CORRECTIONS = (correction("C1", "E01", 0),)
R = Rows(TEXTS)


def test_event_unplanned_is_found():
    rows = [*R.u(0), R.i("Spill water", "E_UNKNOWN"), R.c("Wipe up the water", "C9"), *R.u(1, 2)]

    assert found("EVENT_UNPLANNED", case(TEXTS, rows, ERRORS, CORRECTIONS)) == [
        (1, "E_UNKNOWN", None),
        (2, None, None),
    ]


def test_event_unplanned_is_not_found_where_it_is_not():
    rows = [*R.u(0), R.i("Spill water"), R.c("Wipe up the water"), *R.u(1, 2)]

    assert found("EVENT_UNPLANNED", case(TEXTS, rows, ERRORS, CORRECTIONS)) == []
    assert found("EVENT_UNPLANNED", identity(TEXTS)) == []
