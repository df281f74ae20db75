"""Nothing is chopped by itself."""

from tests.engine.judging.takes import Rows, case, error, found, identity

TEXTS = ["Get a tomato", "Chop the tomato", "Add the chopped tomato into the bowl"]
ERRORS = (error("E01", 1, "S"),)
CORRECTIONS = ()
R = Rows(TEXTS)


def test_product_not_made_is_found():
    rows = [*R.u(0), R.e(1, "Chop the onion"), *R.u(2)]

    assert found("PRODUCT_NOT_MADE", case(TEXTS, rows, ERRORS, CORRECTIONS)) == [
        (2, None, "chopped tomato")
    ]


def test_product_not_made_is_not_found_where_it_is_not():
    rows = [*R.u(0), R.e(1, "Chop the onion"), R.a(2, "Add the tomato into the bowl")]

    assert found("PRODUCT_NOT_MADE", case(TEXTS, rows, ERRORS, CORRECTIONS)) == []
    assert found("PRODUCT_NOT_MADE", identity(TEXTS)) == []


def test_deleted_preparation_is_the_plan_s_own():
    rows = [*R.u(0), R.d(1), *R.u(2)]

    assert found("PRODUCT_NOT_MADE", case(TEXTS, rows, [error("E01", 1, "D")])) == []
