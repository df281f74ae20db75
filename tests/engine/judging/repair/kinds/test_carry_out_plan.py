"""Deletions and swaps need no words."""

from tests.engine.judging.takes import Rows, error, repaired_by

TEXTS = ["Get a cup", "Wash the cup", "Dry the cup"]
R = Rows(TEXTS)


def test_planned_deletion_is_carried_out():
    errors, corrections = [error("E01", 1, "D")], ()
    rows = R.u(0, 1, 2)

    repaired = repaired_by("carry_out_plan", TEXTS, rows, errors, corrections)

    assert repaired == [*R.u(0), R.d(1), *R.u(2)]


def test_planned_swap_is_carried_out():
    errors, corrections = [error("E01", 1, "T")], ()
    rows = R.u(0, 1, 2)

    repaired = repaired_by("carry_out_plan", TEXTS, rows, errors, corrections)

    assert repaired == [*R.u(0), R.mt(2), R.ms(1)]


def test_halves_in_the_old_order_are_swapped():
    errors, corrections = [error("E01", 1, "T")], ()
    rows = [*R.u(0), R.ms(1), R.mt(2)]

    repaired = repaired_by("carry_out_plan", TEXTS, rows, errors, corrections)

    assert repaired == [*R.u(0), R.mt(2), R.ms(1)]
