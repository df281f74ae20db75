"""Unchanged and moved rows keep every letter."""

from dataclasses import replace

from tests.engine.judging.takes import Rows, case, found, identity

TEXTS = ["Get a cup", "Wash the cup", "Dry the cup"]
ERRORS = ()
CORRECTIONS = ()
R = Rows(TEXTS)


def test_not_verbatim_is_found():
    rows = [*R.u(0), replace(R.mt(2), text="Dry the cups"), replace(R.u(1)[0], text="Wash a cup")]

    assert found("NOT_VERBATIM", case(TEXTS, rows, ERRORS, CORRECTIONS)) == [
        (1, "E01", None),
        (2, None, None),
    ]


def test_not_verbatim_is_not_found_where_it_is_not():
    rows = R.u(0, 1, 2)

    assert found("NOT_VERBATIM", case(TEXTS, rows, ERRORS, CORRECTIONS)) == []
    assert found("NOT_VERBATIM", identity(TEXTS)) == []
