"""A planned correction has its row."""

from tests.engine.judging.takes import Rows, case, correction, error, found, identity

TEXTS = ["Get a cup", "Wash the cup", "Dry the cup"]
ERRORS = (error("E01", 1, "WE"),)
CORRECTIONS = (correction("C1", "E01", 1, redo=1),)
R = Rows(TEXTS)


def test_correction_missing_is_found():
    rows = [*R.u(0), R.we(1, "Wash the plate"), *R.u(2)]

    assert found("CORRECTION_MISSING", case(TEXTS, rows, ERRORS, CORRECTIONS)) == [
        (None, "E01", None)
    ]


def test_correction_missing_is_not_found_where_it_is_not():
    rows = [*R.u(0), R.we(1, "Wash the plate"), R.c("Stop and wash the cup"), *R.u(2)]

    assert found("CORRECTION_MISSING", case(TEXTS, rows, ERRORS, CORRECTIONS)) == []
    assert found("CORRECTION_MISSING", identity(TEXTS)) == []
