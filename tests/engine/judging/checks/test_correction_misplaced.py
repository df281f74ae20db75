"""A correction follows the step at which the mistake is noticed."""

from tests.engine.judging.takes import Rows, case, correction, error, found, identity

TEXTS = ["Get a cup", "Wash the cup", "Dry the cup"]
ERRORS = (error("E01", 1, "WE"),)
CORRECTIONS = (correction("C1", "E01", 1, redo=1),)
R = Rows(TEXTS)


def test_correction_misplaced_is_found():
    rows = [*R.u(0), R.we(1, "Wash the plate"), *R.u(2), R.c("Stop and wash the cup")]

    assert found("CORRECTION_MISPLACED", case(TEXTS, rows, ERRORS, CORRECTIONS)) == [
        (3, "E01", None)
    ]


def test_correction_misplaced_is_not_found_where_it_is_not():
    rows = [*R.u(0), R.we(1, "Wash the plate"), R.c("Stop and wash the cup"), *R.u(2)]

    assert found("CORRECTION_MISPLACED", case(TEXTS, rows, ERRORS, CORRECTIONS)) == []
    assert found("CORRECTION_MISPLACED", identity(TEXTS)) == []


def test_correction_before_its_mistake_is_misplaced():
    rows = [*R.u(0), R.c("Stop and wash the cup"), R.we(1, "Wash the plate"), *R.u(2)]

    assert found("CORRECTION_MISPLACED", case(TEXTS, rows, ERRORS, CORRECTIONS)) == [
        (1, "E01", None)
    ]


def test_noticing_at_the_first_step_is_no_missing_number():
    at_once = (correction("C1", "E01", 0, redo=0),)
    rows = [R.we(0, "Get a plate"), R.c("Get the cup"), *R.u(1, 2)]

    assert found("CORRECTION_MISPLACED", case(TEXTS, rows, [error("E01", 0, "WE")], at_once)) == []


def test_swap_may_be_noticed_between_its_halves():
    swap, at_half = (error("E01", 0, "T", target_index=2),), (correction("C1", "E01", 1),)
    rows = [R.mt(2), *R.u(1), R.c("Stop and get the cup"), R.ms(0)]

    assert found("CORRECTION_MISPLACED", case(TEXTS, rows, swap, at_half)) == []
