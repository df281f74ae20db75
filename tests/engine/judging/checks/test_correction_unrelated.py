"""A correction speaks of what went wrong."""

from tests.engine.judging.takes import Rows, case, correction, error, found, identity

TEXTS = ["Get a cup", "Wash the cup", "Dry the cup"]
ERRORS = (error("E01", 1, "WE"),)
CORRECTIONS = (correction("C1", "E01", 1, redo=1),)
R = Rows(TEXTS)


def test_correction_unrelated_is_found():
    rows = [*R.u(0), R.we(1, "Wash the plate"), R.c("Slice the onion thinly"), *R.u(2)]

    assert found("CORRECTION_UNRELATED", case(TEXTS, rows, ERRORS, CORRECTIONS)) == [
        (2, "E01", None)
    ]


def test_correction_unrelated_is_not_found_where_it_is_not():
    rows = [*R.u(0), R.we(1, "Wash the plate"), R.c("Rinse the soapy plate"), *R.u(2)]

    assert found("CORRECTION_UNRELATED", case(TEXTS, rows, ERRORS, CORRECTIONS)) == []
    assert found("CORRECTION_UNRELATED", identity(TEXTS)) == []


def test_pronoun_may_stand_for_the_thing():
    rows = [*R.u(0), R.we(1, "Wash the plate"), R.c("Put it down and start over"), *R.u(2)]

    assert found("CORRECTION_UNRELATED", case(TEXTS, rows, ERRORS, CORRECTIONS)) == []
