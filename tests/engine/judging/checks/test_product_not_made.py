"""Nothing is chopped by itself."""

from tests.engine.judging.takes import Rows, case, correction, error, found, identity

TEXTS = ["Get a tomato", "Chop the tomato", "Add the chopped tomato into the bowl"]
ERRORS = (error("E01", 1, "S"),)
CORRECTIONS = ()
R = Rows(TEXTS)


def test_product_not_made_is_found():
    rows = [*R.u(0), R.e(1, "Chop the onion"), *R.u(2)]

    assert found("PRODUCT_NOT_MADE", case(TEXTS, rows, ERRORS, CORRECTIONS)) == [
        (2, None, "chopped tomato")
    ]


def test_product_not_made_is_not_found_in_sound_rows():
    rows = [*R.u(0), R.e(1, "Chop the onion"), R.a(2, "Add the tomato into the bowl")]

    assert found("PRODUCT_NOT_MADE", case(TEXTS, rows, ERRORS, CORRECTIONS)) == []
    assert found("PRODUCT_NOT_MADE", identity(TEXTS)) == []


def test_deleted_preparation_is_excused_by_the_plan():
    rows = [*R.u(0), R.d(1), *R.u(2)]

    assert found("PRODUCT_NOT_MADE", case(TEXTS, rows, [error("E01", 1, "D")])) == []


def test_correction_may_make_what_it_names():
    text = "Go back and start over: chop the tomato, then add the chopped tomato into the bowl"
    rows = [*R.u(0), R.e(1, "Taste the tomato"), R.c(text, event_id="E01"), *R.u(2)]
    planned = [correction("C1", "E01", 1)]

    assert found("PRODUCT_NOT_MADE", case(TEXTS, rows, ERRORS, planned)) == []


def test_correction_that_makes_nothing_is_found():
    text = "Go back and add the chopped tomato into the bowl"
    rows = [*R.u(0), R.e(1, "Taste the tomato"), R.c(text, event_id="E01"), *R.u(2)]
    planned = [correction("C1", "E01", 1)]

    assert found("PRODUCT_NOT_MADE", case(TEXTS, rows, ERRORS, planned)) == [
        (2, "E01", "chopped tomato"),
        (3, None, "chopped tomato"),
    ]
