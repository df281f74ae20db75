"""The forgotten preparation is done before the step that needs it, and both are named."""

from annotation.engine.taxonomy import ErrorType
from tests.engine.rewriting.plans import correction, error
from tests.engine.rewriting.take import correction_text, rows_of

STEPS = ["Dice the carrot", "Wait", "Add the carrot to the pot", "Dice the carrot"]


def planned(use):
    return correction(
        "E01", ErrorType.DELETION, "perform_missed_step_before_first_use", use - 1,
        redo_step_index=0, insert_before_step_index=use,
    )  # fmt: skip


def test_preparation_and_its_use_are_named():
    text = correction_text([error("E01", ErrorType.DELETION, 0)], planned(2), steps=STEPS)

    assert text == "Dice the carrot first, before adding the carrot to the pot"


def test_preparation_stands_right_before_its_use():
    rows = rows_of([error("E01", ErrorType.DELETION, 0)], [planned(2)], steps=STEPS)

    assert [row.old_index for row in rows] == [0, 1, None, 2, 3]


def test_use_that_reads_like_the_preparation_is_not_named():
    text = correction_text([error("E01", ErrorType.DELETION, 0)], planned(3), steps=STEPS)

    assert text == "Stop and dice the carrot first"
