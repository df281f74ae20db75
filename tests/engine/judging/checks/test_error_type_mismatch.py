"""The type follows from the mark, and from the plan where there is one."""

from dataclasses import replace

from tests.engine.judging.takes import Rows, case, error, found, identity

TEXTS = ["Get a cup", "Wash the cup", "Dry the cup"]
ERRORS = (error("E01", 1, "WE"),)
CORRECTIONS = ()
R = Rows(TEXTS)


def test_error_type_mismatch_is_found():
    rows = [
        *R.u(0),
        R.e(1, "Fill the cup"),
        replace(R.a(2, "Shake the cup"), error_type="substitution"),
    ]

    assert found("ERROR_TYPE_MISMATCH", case(TEXTS, rows, ERRORS, CORRECTIONS)) == [
        (1, "E01", None),
        (2, "E01", None),
    ]


def test_error_type_mismatch_is_not_found_where_it_is_not():
    rows = [*R.u(0), R.we(1, "Wash the jug"), *R.u(2)]

    assert found("ERROR_TYPE_MISMATCH", case(TEXTS, rows, ERRORS, CORRECTIONS)) == []
    assert found("ERROR_TYPE_MISMATCH", identity(TEXTS)) == []


def test_published_leniency_is_kept():
    rows = [*R.u(0), replace(R.d(1), error_type=None), *R.u(2)]

    assert found("ERROR_TYPE_MISMATCH", case(TEXTS, rows)) == []
