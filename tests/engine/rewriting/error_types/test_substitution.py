"""Another act stands in for the step: with another thing of the procedure, or the other way."""

import pytest

from annotation.engine.taxonomy import ErrorType, Mod
from generation.engine.rewriting.added_steps import substitutes
from generation.engine.rewriting.affordances import can_be_replaced
from generation.engine.rewriting.scene import scene_of
from tests.engine.rewriting.plans import error
from tests.engine.rewriting.take import EGG, rows_of

LOOKS = {"Look", "Lean", "Reach", "Touch", "Point", "Feel", "Check", "Watch"}


def substitute_texts(steps, index):
    scene = scene_of("", [(text, "") for text in steps])
    return {added.text for form in substitutes(scene, scene.steps[index]) for added in form()}


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("index", range(len(EGG)))
def test_replacement_is_marked_and_is_another_text(index, seed):
    row = rows_of([error("E01", ErrorType.SUBSTITUTION, index)], seed=seed)[index]

    assert (row.mod, row.old_index, row.error_type) == (Mod.ERROR, index, "substitution")
    assert row.text not in [step for step, _ in EGG]
    assert row.text.partition(" ")[0] not in LOOKS


def test_things_of_one_act_are_taken_for_each_other():
    steps = ["attach wheel to chassis", "attach cabin to interior", "attach roof to cabin"]

    texts = substitute_texts(steps, 0)
    assert {"attach cabin to chassis", "attach roof to chassis"} <= texts
    assert "attach wheel to cabin" in texts


def test_what_is_attached_already_is_not_attached_again():
    steps = ["attach wheel to chassis", "attach cabin to interior"]

    assert "attach wheel to interior" not in substitute_texts(steps, 1)


def test_old_and_new_are_told_apart_by_their_noun():
    steps = ["Remove the old filter", "Take the new filter", "Push the new filter into the slot"]

    assert "Push the old filter into the slot" in substitute_texts(steps, 2)
    assert "Remove the new filter" not in substitute_texts(steps, 0)


def test_act_goes_the_other_way_where_it_goes_nowhere_in_particular():
    assert "Loosen the nut" in substitute_texts(["Tighten the nut"], 0)
    assert not substitute_texts(["Push the needle into the skin"], 0)


def test_look_is_replaced_by_nothing():
    steps = ["Check the bridge", "Check the string", "Tune the string"]

    assert not can_be_replaced(scene_of("", [(text, "") for text in steps]), 0)


def test_step_that_names_nothing_is_replaced_too():
    (row,) = rows_of([error("E01", ErrorType.SUBSTITUTION, 0)], steps=["relax"])

    assert row.text == "do something else"


def test_addition_is_repeated_only_instead_of_another_addition():
    steps = ["Add 1 tsp of salt to the bowl", "Add 1 cup of milk to the bowl", "Wash the bowl"]

    assert "Add 1 tsp of salt to the bowl a second time" in substitute_texts(steps, 1)
    assert not any("second time" in text for text in substitute_texts(steps, 2))


def test_herb_that_is_chopped_is_not_sliced_instead():
    assert not substitute_texts(["Chop 1 tsp cilantro"], 0)
    assert "Slice 2 garlic cloves" in substitute_texts(["Peel 2 garlic cloves"], 0)
