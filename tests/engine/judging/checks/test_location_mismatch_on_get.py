"""Things are taken from where they are."""

from tests.engine.judging.takes import Rows, case, error, found, identity

TEXTS = ["Wipe the table", "Get the spoon from the sink", "Stir the tea with the spoon"]
ERRORS = (error("E01", 1, "I"),)
CORRECTIONS = ()
R = Rows(TEXTS)


def test_location_mismatch_on_get_is_found():
    rows = [*R.u(0), R.i("Put the spoon into the drawer"), *R.u(1, 2)]

    assert found("LOCATION_MISMATCH_ON_GET", case(TEXTS, rows, ERRORS, CORRECTIONS)) == [
        (2, None, "spoon")
    ]


def test_location_mismatch_on_get_is_not_found_where_it_is_not():
    rows = [*R.u(0), R.i("Put the spoon into the sink"), *R.u(1, 2)]

    assert found("LOCATION_MISMATCH_ON_GET", case(TEXTS, rows, ERRORS, CORRECTIONS)) == []
    assert found("LOCATION_MISMATCH_ON_GET", identity(TEXTS)) == []
