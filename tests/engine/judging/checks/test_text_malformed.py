"""Leaked representations and empty texts are no steps."""

from tests.engine.judging.takes import Rows, case, found, identity

TEXTS = ["Get a cup", "Wash the cup", "Dry the cup"]
ERRORS = ()
CORRECTIONS = ()
R = Rows(TEXTS)


def test_text_malformed_is_found():
    rows = [R.e(0, "Get a coffee_cup"), R.a(1, " "), R.i("GET(Object: cup)"), *R.u(2)]

    assert found("TEXT_MALFORMED", case(TEXTS, rows, ERRORS, CORRECTIONS)) == [
        (0, "E01", None),
        (1, "E01", None),
        (2, "E01", None),
    ]


def test_text_malformed_is_not_found_where_it_is_not():
    rows = [R.e(0, "Get a coffee-cup (the blue one)."), *R.u(1, 2)]

    assert found("TEXT_MALFORMED", case(TEXTS, rows, ERRORS, CORRECTIONS)) == []
    assert found("TEXT_MALFORMED", identity(TEXTS)) == []


def test_words_that_do_not_join_are_found():
    rows = [R.e(0, "Put the without a lid aside"), R.a(1, "Cut cut tomato"), *R.u(2)]

    assert found("TEXT_MALFORMED", case(TEXTS, rows)) == [(0, "E01", None), (1, "E01", None)]
