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


@pytest.mark.parametrize(
    ("steps", "never"),
    [
        (["Close the gas valve", "Lift out the old valve"], "Close the old valve"),
        (["Cut the scion to three buds", "Cut a tongue in each piece"], "scion in"),
        (["Lay the smallest cloth down", "Lay the glass cloth down"], "glass cloth"),
        (["Pour milk into the lined mug", "Pour tea into the prepared mug"], "tea into the lined"),
        (["Fry tofu in the deep pan", "Transfer to the shallow pan"], "to the deep"),
        (["Lay the cards around the box", "Lay the frame around the type"], "cards"),
        (["Cut along the red lines", "Write on the black lines"], "on the red"),
        (["Tie the string over the long stitch"], "short"),
        (["Cook it until it is brown on the bottom"], "top"),
        (["Work down to the bottom corner"], "top"),
        (["Connect the motor to the switch", "Put the propeller on the motor"], "beside"),
        (["Connect the motor to the switch", "Put the propeller on the motor"], "one side"),
        (["Tighten the strap by two holes"], "loosely"),
        (["Dry the spoon in a bag for a week"], "long enough"),
        (["Rasp the edges smooth"], "unevenly"),
        (["Feed the fish"], "halfway"),
        (["Screw in a new plug"], "wrong way round"),
        (["Spread the net over the rail"], "too"),
        (["Cut off the nut"], "unevenly"),
        (["Raise the car with the jack"], "bare hands"),
        (["Whisk the egg with the fork"], "bare hands"),
        (["Seal the zip top bag"], "bottom"),
        (["Spread open filter in the dripper"], "too"),
        (["Mix the powder with the oil"], "bare hands"),
    ],
)  # fmt: skip
def test_change_that_makes_no_sense_is_not_offered(steps, never):
    texts = [text for index in range(len(steps)) for text in changed_texts(steps, index)]

    assert [text for text in texts if never in text] == []


def test_hands_do_what_a_tool_should():
    assert "Unscrew the nut with bare hands" in changed_texts(["Unscrew the nut with a wrench"], 0)


def test_same_step_twice_may_fail_in_the_same_way():
    steps = ["Fold the sheet along the line", "Wait", "Fold the sheet along the line"]
    planned = [wrong(f"E0{index}", index, Manner="attribute") for index in (0, 2)]

    for seed in SEEDS:
        texts = [row.text for row in rows_of(planned, steps=steps, seed=seed)]
        assert not any("the wrong way" in text for text in texts), texts
