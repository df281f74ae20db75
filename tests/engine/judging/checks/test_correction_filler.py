"""Going on repairs nothing."""

from tests.engine.judging.takes import Rows, case, correction, error, found, identity

TEXTS = ["Get a cup", "Wash the cup", "Dry the cup"]
ERRORS = (error("E01", 1, "WE"),)
CORRECTIONS = (correction("C1", "E01", 1, redo=1),)
R = Rows(TEXTS)


def test_correction_filler_is_found():
    rows = [
        *R.u(0),
        R.we(1, "Wash the plate"),
        R.c("Continue with drying the cup"),
        R.c("Oh no"),
        *R.u(2),
    ]

    assert found("CORRECTION_FILLER", case(TEXTS, rows, ERRORS, CORRECTIONS)) == [
        (2, None, None),
        (3, None, None),
    ]


def test_correction_filler_is_not_found_where_it_is_not():
    rows = [*R.u(0), R.we(1, "Wash the plate"), R.c("Put the plate down and wash the cup"), *R.u(2)]

    assert found("CORRECTION_FILLER", case(TEXTS, rows, ERRORS, CORRECTIONS)) == []
    assert found("CORRECTION_FILLER", identity(TEXTS)) == []
