"""A correction names what it takes back and what is done instead, and stands where it is needed.

How it is worded is in the golden files (`test_golden_takes.py`).
"""

import pytest

from annotation.engine.taxonomy import ErrorType
from generation.engine.rewriting.scene import scene_of
from tests.engine.rewriting.plans import correction, error, swap, wrong
from tests.engine.rewriting.take import EGG, correction_text, extra_steps_at, rows_of

WE = ErrorType.WRONG_EXECUTION
SEEDS = range(6)
CARROT = ["Dice the carrot", "Wait", "Add the carrot to the pot", "Dice the carrot"]
BOWL, EGG_FETCHED, CRACKED, FORK, WHISKED, WIPED = (text[1:] for text, _ in EGG)


def in_order(text, *parts):
    places = [text.find(part) for part in parts]
    return -1 not in places and places == sorted(places)


def deletion(kind, index, use=None, **fields):
    if use is not None:
        fields["insert_before_step_index"] = use
    return correction("E01", ErrorType.DELETION, kind, (use or index + 2) - 1, **fields)


@pytest.mark.parametrize(("use", "is_named"), [(2, True), (3, False)])
def test_missed_preparation_is_named_with_its_use_unless_both_read_alike(use, is_named):
    planned = deletion("perform_missed_step_before_first_use", 0, use, redo_step_index=0)
    errors = [error("E01", ErrorType.DELETION, 0)]

    text = correction_text(errors, planned, steps=CARROT)

    assert "ice the carrot" in text
    assert ("adding the carrot to the pot" in text) is is_named
    assert "dicing" not in text
    rows = rows_of(errors, [planned], steps=CARROT)
    assert [row.old_index for row in rows].index(None) == use


@pytest.mark.parametrize("seed", SEEDS)
def test_missed_step_is_named(seed):
    planned = deletion("perform_missed_step_now", 4, redo_step_index=4)

    text = correction_text([error("E01", ErrorType.DELETION, 4)], planned, seed=seed)

    assert text.endswith(WHISKED)
    assert text[0].isupper()


@pytest.mark.parametrize("left_out", [[3], [3, 4]])
def test_missing_thing_is_got_from_its_place_and_its_use_named_unless_left_out(left_out):
    fields = {"missing_object": "fork", "missing_from_step_index": 3}
    planned = deletion("reacquire_missing_object_before_use", 3, 4, **fields)
    errors = [error(f"E0{i}", ErrorType.DELETION, at) for i, at in enumerate(left_out, 1)]

    text = correction_text(errors, planned)

    assert FORK in text
    assert in_order(text, FORK, "whisking the egg with the fork") is (len(left_out) == 1)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("pair", [(1, 3), (3, 1)])
def test_swapped_steps_are_named_in_their_order(pair, seed):
    planned = correction(
        "E01", ErrorType.TRANSPOSITION, "restore_order", 3, restore_order_pair=list(pair)
    )

    assert in_order(correction_text([swap("E01", *pair)], planned, seed=seed), EGG_FETCHED, FORK)


def test_tool_put_away_by_the_swap_is_fetched_again():
    steps = ["Get a wrench", "Tighten the nut with the wrench", "Put back the wrench"]
    planned = correction(
        "E01", ErrorType.TRANSPOSITION, "restore_order", 2, restore_order_pair=[1, 2]
    )

    text = correction_text([swap("E01", 1, 2)], planned, steps=steps)

    assert in_order(text, "the wrench", "tighten the nut", "put back the wrench")


def redone(error_type, index, detect=None, kind="stop_and_fix", **fields):
    """Return the correction of a mistake, late by as many steps as it is noticed after `index`."""
    detect = index if detect is None else detect
    return correction("E01", error_type, kind, detect, redo_step_index=index, **fields)


@pytest.mark.parametrize("kind", ["stop_and_fix", "rollback_and_redo"])
def test_wrong_thing_gives_way_to_the_right_one(kind):
    text = correction_text([wrong("E01", 0, Object="entity")], redone(WE, 0, kind=kind))

    assert in_order(text, BOWL, "this time the right one")


def test_half_done_step_is_not_undone():
    steps = [("Fill the jars with jam", "FILL(Object: jars, Instrument: with(jam))")]
    planned = [wrong("E01", 0, Object="attribute")]

    text = correction_text(planned, redone(WE, 0, latency_steps=1), steps=[*steps, "Wait"])

    assert text == "Go back and fill the jars with jam, this time completely"


@pytest.mark.parametrize("seed", SEEDS)
def test_late_fix_of_what_cannot_be_undone_is_no_undoing(seed):
    late = redone(WE, 5, latency_steps=1)

    text = correction_text([wrong("E01", 5, Object="entity")], late, seed=seed)

    assert WIPED in text
    assert "back" in text
    assert "stop" not in text.lower()


def test_rollback_redoes_the_steps_from_where_it_goes_back_to():
    planned = [error("E01", ErrorType.SUBSTITUTION, 3)]
    kind = {"kind": "rollback_and_redo", "latency_steps": 1}

    text = correction_text(planned, redone(ErrorType.SUBSTITUTION, 1, 4, **kind))

    assert in_order(text, EGG_FETCHED, " fork from the drawer")


@pytest.mark.parametrize("seed", SEEDS)
def test_extra_step_has_a_repair_of_its_own(seed):
    planned = correction("E01", ErrorType.INSERTION, "undo_extra_step", 4)
    rows = rows_of([error("E01", ErrorType.INSERTION, 4)], [planned], seed=seed)
    scene = scene_of("Cooking", EGG)
    added = [added for at in (4, 3, 2, 1) for added in extra_steps_at(scene, at)]
    repairs = {item.text: item.repair for item in reversed(added)}

    expected = repairs[rows[4].text]
    assert not expected or rows[6].text == expected
