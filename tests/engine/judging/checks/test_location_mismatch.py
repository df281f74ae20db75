"""Things are worked on where they are."""

from tests.engine.judging.takes import Rows, case, error, found, identity

TEXTS = ["Put the noodles into the pan", "Stir the noodles in the pan", "Wipe the table"]
ERRORS = (error("E01", 0, "S"),)
CORRECTIONS = ()
R = Rows(TEXTS)


def test_location_mismatch_is_found():
    rows = [R.e(0, "Put the noodles into the bowl"), *R.u(1, 2)]

    assert found("LOCATION_MISMATCH", case(TEXTS, rows, ERRORS, CORRECTIONS)) == [
        (1, None, "noodles")
    ]


def test_location_mismatch_is_not_found_where_it_is_not():
    rows = [
        R.e(0, "Put the noodles into the bowl"),
        R.a(1, "Stir the noodles in the bowl"),
        *R.u(2),
    ]

    assert found("LOCATION_MISMATCH", case(TEXTS, rows, ERRORS, CORRECTIONS)) == []
    assert found("LOCATION_MISMATCH", identity(TEXTS)) == []
