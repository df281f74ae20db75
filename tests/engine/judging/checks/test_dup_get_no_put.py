"""What one holds is not got again."""

from tests.engine.judging.takes import Rows, case, error, found, identity

TEXTS = ["Get the spoon", "Stir the milk with the spoon", "Put away the spoon", "Drink the milk"]
ERRORS = (error("E01", 1, "I"),)
CORRECTIONS = ()
R = Rows(TEXTS)


def test_dup_get_no_put_is_found():
    rows = [*R.u(0), R.i("Get the spoon"), *R.u(1, 2, 3)]

    assert found("DUP_GET_NO_PUT", case(TEXTS, rows, ERRORS, CORRECTIONS)) == [(1, "E01", "spoon")]


def test_dup_get_no_put_is_not_found_where_it_is_not():
    rows = [*R.u(0), R.i("Get another spoon"), *R.u(1, 2, 3)]

    assert found("DUP_GET_NO_PUT", case(TEXTS, rows, ERRORS, CORRECTIONS)) == []
    assert found("DUP_GET_NO_PUT", identity(TEXTS)) == []


def test_correction_may_get_again_what_went_wrong():
    rows = [*R.u(0), R.c("Stop and get the spoon"), *R.u(1, 2, 3)]

    assert found("DUP_GET_NO_PUT", case(TEXTS, rows)) == []
