"""Nothing is put back where it is."""

from tests.engine.judging.takes import Rows, case, error, found, identity

TEXTS = ["Put the noodles into the pan", "Stir the noodles in the pan", "Wipe the table"]
ERRORS = (error("E01", 2, "I"),)
CORRECTIONS = ()
R = Rows(TEXTS)


def test_back_to_same_place_is_found():
    rows = [*R.u(0, 1), R.i("Put the noodles back into the pan"), *R.u(2)]

    assert found("BACK_TO_SAME_PLACE", case(TEXTS, rows, ERRORS, CORRECTIONS)) == [
        (2, "E01", "noodles")
    ]


def test_back_to_same_place_is_not_found_where_it_is_not():
    rows = [*R.u(0, 1), R.i("Put the noodles back into the bowl"), *R.u(2)]

    assert found("BACK_TO_SAME_PLACE", case(TEXTS, rows, ERRORS, CORRECTIONS)) == []
    assert found("BACK_TO_SAME_PLACE", identity(TEXTS)) == []
