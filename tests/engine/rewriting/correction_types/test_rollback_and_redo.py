"""The mistake is taken back, then the steps from the rollback on are redone by name."""

from annotation.engine.taxonomy import ErrorType
from tests.engine.rewriting.plans import correction, error, wrong
from tests.engine.rewriting.take import correction_text, rows_of


def rollback(error_type, redo, detect=2, **fields):
    return correction(
        "E01", error_type, "rollback_and_redo", detect, redo_step_index=redo, **fields
    )


def test_step_is_redone_once_where_nothing_before_it_is():
    text = correction_text(
        [wrong("E01", 0, Object="entity")], rollback(ErrorType.WRONG_EXECUTION, 0, 0)
    )

    assert text.startswith("Put the ")
    assert text.endswith(" back and get a bowl from the cabinet")


def test_earlier_step_is_redone_before_the_one_that_went_wrong():
    planned = [error("E01", ErrorType.SUBSTITUTION, 3)]
    wrong_text = rows_of(planned)[3].text

    text = correction_text(planned, rollback(ErrorType.SUBSTITUTION, 1, 4, latency_steps=1))

    assert wrong_text.startswith("Get ")
    assert text.startswith("Go back, put the ")
    assert text.endswith(
        "start over: get an egg from the fridge, get a fork from the drawer, "
        "then whisk the egg with the fork"
    )
