"""Rows and steps of the original go together by their marks."""

from dataclasses import replace

from tests.engine.judging.takes import Rows, case, found, identity

TEXTS = ["Get a cup", "Wash the cup", "Dry the cup"]
ERRORS = ()
CORRECTIONS = ()
R = Rows(TEXTS)


def test_source_mismatch_is_found():
    rows = [
        *R.u(0, 1, 2),
        replace(R.i("Spill it"), old_index=1),
        replace(R.a(1, "x"), old_index=None),
        replace(R.a(1, "x"), old_index=3),
    ]

    assert found("SOURCE_MISMATCH", case(TEXTS, rows, ERRORS, CORRECTIONS)) == [
        (3, "E01", None),
        (4, "E01", None),
        (5, "E01", None),
    ]


def test_source_mismatch_is_not_found_where_it_is_not():
    rows = [*R.u(0, 1), R.i("Spill water"), *R.u(2)]

    assert found("SOURCE_MISMATCH", case(TEXTS, rows, ERRORS, CORRECTIONS)) == []
    assert found("SOURCE_MISMATCH", identity(TEXTS)) == []
