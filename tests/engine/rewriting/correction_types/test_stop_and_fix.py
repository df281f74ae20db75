"""The mistake is taken back by name and the step is done as it should be."""

import pytest

from annotation.engine.taxonomy import ErrorType
from tests.engine.rewriting.plans import correction, wrong
from tests.engine.rewriting.take import correction_text, rows_of


def fix(index, detect=None, **fields):
    detect = index if detect is None else detect
    return correction(
        "E01", ErrorType.WRONG_EXECUTION, "stop_and_fix", detect, redo_step_index=index, **fields
    )


def test_wrong_thing_is_put_back():
    planned = [wrong("E01", 0, Object="entity")]
    thing = rows_of(planned)[0].text.split()[2:-3]

    text = correction_text(planned, fix(0))

    assert text == f"Put the {' '.join(thing)} back and get a bowl from the cabinet"


def test_wrong_tool_is_put_aside():
    planned = [wrong("E01", 4, Instrument="attribute")]
    seed = next(
        seed for seed in range(40) if "wrong end" not in rows_of(planned, seed=seed)[4].text
    )

    text = correction_text(planned, fix(4), seed=seed)

    assert text.startswith("Swap the ")
    assert text.endswith(" fork for a good one and whisk the egg with the fork")


def test_step_that_was_only_half_done_is_not_taken_back():
    planned = [wrong("E01", 5, Object="attribute")]
    seed = next(seed for seed in range(40) if "only half of" in rows_of(planned, seed=seed)[5].text)

    text = correction_text(planned, fix(5, latency_steps=1), seed=seed)

    assert text == "Go back and wipe the table with a cloth, this time completely"


def test_late_fix_goes_back():
    text = correction_text([wrong("E01", 0, Object="entity")], fix(0, 2, latency_steps=2))

    assert text.startswith("Go back, put the ")
    assert text.endswith(
        " back and start over: get a bowl from the cabinet, then crack the egg into the bowl"
    )


@pytest.mark.parametrize("seed", range(5))
def test_late_fix_of_what_cannot_be_undone_makes_up_for_it(seed):
    planned = [wrong("E01", 5, Object="entity")]
    steps_text = rows_of(planned, seed=seed)[5].text

    text = correction_text(planned, fix(5, latency_steps=1), seed=seed)

    wrong_text = steps_text.replace("Wipe", "wiping")
    assert text in {
        f"Go back and wipe the table with a cloth, to make up for {wrong_text}",
        f"Realise that {wrong_text} was wrong, go back and wipe the table with a cloth",
        "Notice the mistake, go back and wipe the table with a cloth",
    }
