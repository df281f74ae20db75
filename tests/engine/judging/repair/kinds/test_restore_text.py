"""What should read as the original reads as the original again."""

from dataclasses import replace

from tests.engine.judging.takes import Rows, error, repaired_by

TEXTS = ["Turn on the tap", "Wash the cup", "Dry the cup"]
R = Rows(TEXTS)


def test_unchanged_row_gets_its_text_back():
    errors, corrections = (), ()
    rows = [*R.u(0), replace(R.u(1)[0], text="Wash a cup"), *R.u(2)]

    repaired = repaired_by("restore_text", TEXTS, rows, errors, corrections)

    assert repaired == R.u(0, 1, 2)


def test_consequence_without_change_is_unchanged():
    errors, corrections = [error("E01", 0, "S")], ()
    rows = [R.e(0, "Turn on the lamp"), R.a(1, TEXTS[1]), *R.u(2)]

    repaired = repaired_by("restore_text", TEXTS, rows, errors, corrections)

    assert repaired == [R.e(0, "Turn on the lamp"), *R.u(1, 2)]
