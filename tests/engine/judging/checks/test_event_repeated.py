"""One mistake, one row; another kind of row is no realisation."""

from tests.engine.judging.takes import Rows, case, error, found, identity

TEXTS = ["Get a cup", "Wash the cup", "Dry the cup"]
ERRORS = (error("E01", 1, "I"),)
CORRECTIONS = ()
R = Rows(TEXTS)


def test_event_repeated_is_found():
    rows = [*R.u(0), R.i("Spill water"), R.i("Spill milk"), R.we(1, "Wash a jug"), *R.u(2)]

    assert found("EVENT_REPEATED", case(TEXTS, rows, ERRORS, CORRECTIONS)) == [
        (2, "E01", None),
        (3, "E01", None),
    ]


def test_event_repeated_is_not_found_where_it_is_not():
    rows = [*R.u(0), R.i("Spill water"), R.a(1, "Wash the wet cup"), *R.u(2)]

    assert found("EVENT_REPEATED", case(TEXTS, rows, ERRORS, CORRECTIONS)) == []
    assert found("EVENT_REPEATED", identity(TEXTS)) == []
