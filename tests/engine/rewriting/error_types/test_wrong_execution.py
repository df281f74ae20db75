"""The planned roles change, each in its scope, and no other word of the step does."""

import pytest

from annotation.engine.taxonomy import Mod
from generation.engine.rewriting.changes import changes
from generation.engine.rewriting.scene import scene_of
from tests.engine.rewriting.plans import wrong
from tests.engine.rewriting.take import rows_of

SEEDS = range(6)


def changed_texts(steps, index):
    scene = scene_of("", [(text, "") for text in steps])
    step = scene.steps[index]
    return {change.text for change in changes(scene, step, step.text)}


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(
    ("index", "role", "start", "end"),
    [
        (0, "Object", "Get the wrong bowl", " from the cabinet"),
        (0, "Origin", "Get a bowl from the ", ""),
        (4, "Instrument", "Whisk the egg with the ", " fork"),
        (5, "Object", "Wipe the ", " with a cloth"),
    ],
)
def test_role_in_which_nothing_surely_makes_sense_is_the_wrong_one(index, role, start, end, seed):
    row = rows_of([wrong("E01", index, **{role: "entity"})], seed=seed)[index]

    assert (row.mod, row.old_index, row.error_type) == (Mod.ERROR, index, "wrong_execution")
    assert row.text.startswith(start)
    assert row.text.endswith(end)


def test_two_roles_change_together():
    row = rows_of([wrong("E01", 0, Object="entity", Origin="entity")])[0]

    assert row.text.startswith("Get the wrong bowl from the ")
    assert not row.text.endswith(" the cabinet")


def test_step_without_things_fails_in_its_manner():
    (row,) = rows_of([wrong("E01", 0)], steps=["Relax."])

    assert row.text == "Relax in the wrong way."


def test_measures_and_counts_stay_possible():
    assert {"Add 4 cups of rice", "Add 1 cup of rice"} <= changed_texts(["Add 2 cups of rice"], 0)
    texts = changed_texts(["Bridge two blocks on the square blocks"], 0)
    assert "Bridge one block on the square blocks" in texts
    assert not any("three" in text for text in texts)


def test_things_whose_order_is_told_are_not_taken_for_others():
    steps = ["Wash the thick tiles", "Wash the flat tiles in a row"]
    assert "Wash the thick tiles in a row" in changed_texts(steps, 1)

    steps[1] += " in the order of red and green"

    assert not any("thick" in text for text in changed_texts(steps, 1))


def test_sides_are_swapped_and_times_have_no_manner_besides():
    assert "Turn the dial to the right" in changed_texts(["Turn the dial to the left"], 0)
    assert not any("but" in text for text in changed_texts(["Boil the eggs for 8 minutes"], 0))


def test_act_fails_in_a_manner_of_its_class():
    assert "Tighten the nut too loosely" in changed_texts(["Tighten the nut"], 0)
    assert changed_texts(["Ponder the nut"], 0) == set()
    assert not any("crookedly" in t for t in changed_texts(["Put glue on the knot"], 0))


def test_switch_is_not_turned_like_a_knob():
    assert not any("wrong way" in text for text in changed_texts(["Turn on the lamp"], 0))


@pytest.mark.parametrize("step", ["Put the lens on the tray", "Place the pan under the engine"])
def test_thing_is_put_beside_its_place(step):
    assert any(" beside the " in text for text in changed_texts([step], 0))
