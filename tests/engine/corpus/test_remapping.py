from dataclasses import replace

import pytest

from annotation.engine.corpus.remapping import RemapError, remap_trace
from tests.annotation.readings import STEP_TEXTS, make_take, make_trace

# The other recording puts the tea bag in first, and drinks.
OTHER = replace(
    make_take("other", (STEP_TEXTS[1], STEP_TEXTS[0], STEP_TEXTS[2], "Drink the tea")),
)


def with_step_ids(*step_ids: str):
    steps = zip(OTHER.steps, step_ids, strict=True)
    return replace(OTHER, steps=tuple(replace(step, step_id=new) for step, new in steps))


def test_remap_trace_finds_each_row_in_the_other_reference() -> None:
    remapped = remap_trace(
        make_trace(), make_take(), with_step_ids("2", "1", "3", "4"), reason="Chosen by hand."
    )

    # boil: now step 1; salt: none; the forgotten tea bag: step 0; new cup: none; pour: step 2
    assert [row.reference_index for row in remapped.steps] == [1, None, 0, None, 2]
    assert (remapped.take_uid, remapped.reference_reason) == ("other", "Chosen by hand.")


def test_remap_trace_changes_nothing_else() -> None:
    trace = make_trace()

    remapped = remap_trace(trace, make_take(), with_step_ids("2", "1", "3", "4"), reason="why")

    kept = [replace(row, reference_index=None) for row in remapped.steps]
    assert kept == [replace(row, reference_index=None) for row in trace.steps]
    assert remapped.events == trace.events


def test_remap_trace_to_the_same_take_keeps_the_mapping() -> None:
    trace = make_trace()

    remapped = remap_trace(trace, make_take(), make_take(), reason="why")

    assert remapped == replace(trace, reference_reason="why")


def test_remap_trace_refuses_a_reference_without_the_deleted_step() -> None:
    without_bag = make_take("other", (STEP_TEXTS[0], "Drink something cold"))
    without_bag = replace(
        without_bag, steps=tuple(replace(step, step_id="") for step in without_bag.steps)
    )

    with pytest.raises(RemapError, match="row 2 leaves out 'Put a tea bag into the cup'"):
        remap_trace(make_trace(), make_take(), without_bag, reason="why")
