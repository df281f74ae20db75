"""The three rules of consequences, where they end, and how rows are worded then."""

import pytest

from annotation.engine.taxonomy import Mod
from generation.engine.rewriting.cascades import (
    CascadeRule,
    RequiredCascade,
    apply_cascades,
    missing_cascades,
    required_cascades,
)
from generation.engine.rewriting.rewrite import Rewrite, RewriteRow
from generation.engine.rewriting.scene import scene_of

# The published example of a cascade (PIE-V, C.4), shortened, and what comes after it.
SALAD = [
    "Get cucumber from the refrigerator",
    "Wash cucumber with water",
    "Chop cucumbers with knife on the chopping board",
    "Add chopped cucumber into the bowl",
    "Wipe the knife",
    "Get cucumber from the refrigerator",
    "Peel the cucumber",
]


def scene_and_rewrite(steps, changed, extra=()):
    """Return a scene and a rewrite in which step `index` reads as `changed` says (event E01)."""
    rows = [RewriteRow(Mod.UNCHANGED, text, index) for index, text in enumerate(steps)]
    for index, text in changed.items():
        rows[index] = RewriteRow(Mod.ERROR, text, index, "substitution", "E01")
    for position, row in extra:
        rows.insert(position, row)
    return scene_of("Cooking", [(text, "") for text in steps]), Rewrite(tuple(rows))


def test_acquired_thing_is_used_until_the_right_one_is_acquired():
    scene, rewrite = scene_and_rewrite(SALAD, {0: "Get bell pepper from the refrigerator"})

    cascaded = apply_cascades(scene, rewrite, "E01")

    assert cascaded.final_steps == (
        "Get bell pepper from the refrigerator",
        "Wash bell pepper with water",
        "Chop bell peppers with knife on the chopping board",
        "Add chopped bell pepper into the bowl",
        *SALAD[4:],
    )
    assert [(row.mod, row.event_id) for row in cascaded.rows[1:4]] == [(Mod.CASCADE, "E01")] * 3


def test_required_cascades_do_not_depend_on_what_was_done():
    scene, rewrite = scene_and_rewrite(SALAD, {0: "Get bell pepper from the refrigerator"})
    required = required_cascades(scene, rewrite.rows, "E01")

    cascaded = apply_cascades(scene, rewrite, "E01")

    assert required[0] == RequiredCascade(
        1, "E01", "cucumber", "bell_pepper", CascadeRule.POSSESSION
    )
    assert [item.position for item in required] == [1, 2, 3]
    assert required_cascades(scene, cascaded.rows, "E01") == required
    assert missing_cascades(scene, cascaded.rows, "E01") == ()


def test_correction_ends_a_cascade():
    fix = RewriteRow(Mod.CORRECTION, "Put it back and get cucumber", None, "correction", "E01", "c")
    scene, rewrite = scene_and_rewrite(SALAD, {0: "Get bell pepper"}, [(2, fix)])

    assert [item.position for item in required_cascades(scene, rewrite.rows, "E01")] == [1]


@pytest.mark.parametrize("mod", [Mod.MOVED_SOURCE, Mod.MOVED_TARGET, Mod.DELETION])
def test_verbatim_and_deleted_rows_are_never_required(mod):
    scene, rewrite = scene_and_rewrite(SALAD, {0: "Get bell pepper"})
    text = None if mod is Mod.DELETION else SALAD[1]
    rewrite = rewrite.with_row(1, RewriteRow(mod, text, 1, None, "E02"))

    assert [item.position for item in required_cascades(scene, rewrite.rows, "E01")] == [2, 3]


def test_thing_acquired_in_its_own_right_is_left_alone():
    steps = ["Get tomato paste", "Get tomato", "Add tomato paste to the pot", "Dice tomato"]
    scene, rewrite = scene_and_rewrite(steps, {1: "Get onion"})

    assert [item.position for item in required_cascades(scene, rewrite.rows, "E01")] == [3]


def test_added_thing_is_worked_on_until_the_right_one_is_added():
    steps = [
        "Add noodles into the boiling water",
        "Stir the noodles in the pot",
        "Put away the noodles",
        "Add noodles to the pot",
        "Stir the noodles again",
    ]
    scene, rewrite = scene_and_rewrite(steps, {0: "Add rice into the boiling water"})

    assert apply_cascades(scene, rewrite, "E01").final_steps[1:] == (
        "Stir the rice in the pot",
        *steps[2:],
    )


def test_thing_that_was_added_before_is_still_there():
    steps = ["Add salt to the pot", "Add salt to the pot", "Stir the salt in the pot"]
    scene, rewrite = scene_and_rewrite(steps, {1: "Add sugar to the pot"})

    assert required_cascades(scene, rewrite.rows, "E01") == ()


def test_thing_put_elsewhere_is_found_there_until_it_is_put_again():
    steps = [
        "Pour milk into the cup",
        "Wash the cup",
        "Stir the milk in the cup",
        "Pour the milk into the cup",
        "Stir the milk in the cup again",
    ]
    scene, rewrite = scene_and_rewrite(steps, {0: "Pour milk into the jug"})

    assert apply_cascades(scene, rewrite, "E01").final_steps[1:] == (
        "Wash the cup",
        "Stir the milk in the jug",
        *steps[3:],
    )


def test_other_mistake_in_reach_changes_its_words_and_keeps_its_id():
    scene, rewrite = scene_and_rewrite(SALAD, {0: "Get bell pepper"})
    other = RewriteRow(Mod.ERROR, "Wash cucumber with oil", 1, "wrong_execution", "E02")

    row = apply_cascades(scene, rewrite.with_row(1, other), "E01").rows[1]

    assert (row.mod, row.event_id, row.text) == (Mod.ERROR, "E02", "Wash bell pepper with oil")


def test_mistake_that_changes_no_thing_has_no_consequences():
    scene, rewrite = scene_and_rewrite(SALAD, {1: "Wash cucumber with cold water"})

    assert required_cascades(scene, rewrite.rows, "E01") == ()
    assert required_cascades(scene, rewrite.rows, "E99") == ()


def with_deleted(steps, index):
    scene, rewrite = scene_and_rewrite(steps, {})
    return scene, rewrite.with_row(index, RewriteRow(Mod.DELETION, None, index, "deletion", "E01"))


def test_thing_that_was_not_cut_stays_whole_until_it_is():
    steps = [
        "Dice carrot on the board",
        "Add diced carrot to the bowl",
        "Add chopped carrots to the pot",
        "Dice the carrot",
        "Add diced carrot to the pan",
    ]
    scene, rewrite = with_deleted(steps, 0)

    assert apply_cascades(scene, rewrite, "E01").final_steps == (
        "Add whole carrot to the bowl",
        "Add whole carrots to the pot",
        *steps[3:],
    )
    state = frozenset({CascadeRule.STATE})
    assert required_cascades(scene, rewrite.rows, "E01", rules=state)[0] == RequiredCascade(
        1, "E01", "diced_carrot", "whole_carrot", CascadeRule.STATE
    )
    assert required_cascades(scene, rewrite.rows, "E01") == ()


def test_thing_that_another_step_cut_is_cut():
    scene, rewrite = with_deleted(["Cut the carrot", "Dice the carrot", "Add diced carrot"], 1)

    assert apply_cascades(scene, rewrite, "E01") == rewrite


def test_deletion_of_anything_else_has_no_consequences():
    scene, rewrite = with_deleted(["Wash the carrot", "Add washed carrot"], 0)

    assert apply_cascades(scene, rewrite, "E01") == rewrite


@pytest.mark.parametrize("text", ["Get a dirty bowl from the shelf", "Get the bowl"])
def test_thing_of_another_quality_is_the_same_thing(text):
    steps = ["Get a bowl from the shelf", "Wash the bowl"]
    scene, rewrite = scene_and_rewrite(steps, {0: text})

    assert required_cascades(scene, rewrite.rows, "E01") == ()


def test_package_of_something_else_brings_something_else():
    steps = ["Get the sugar bag from the shelf", "Add sugar to the tea", "Put away the sugar bag"]
    scene, rewrite = scene_and_rewrite(steps, {0: "Get the salt bag from the shelf"})

    assert apply_cascades(scene, rewrite, "E01").final_steps[1:] == (
        "Add salt to the tea",
        "Put away the salt bag",
    )


def test_other_thing_at_another_place_is_not_in_the_first_one():
    steps = ["Add water to the bowl", "Mix the water and flour in the bowl"]
    scene, rewrite = scene_and_rewrite(steps, {0: "Add vinegar to the saucer"})

    assert required_cascades(scene, rewrite.rows, "E01") == ()


@pytest.mark.parametrize(
    ("mistake", "later"),
    [
        ("Rinse the tomato once more", "Add whole tomato to the pan"),
        ("Mash the tomato on the board", "Add mashed tomato to the pan"),
        ("Cut the onion on the board", "Add whole tomato to the pan"),
    ],
)
def test_thing_that_was_not_cut_as_it_should_be_stays_what_it_is(mistake, later):
    steps = ["Cut the tomato on the board", "Add cut tomato to the pan"]
    scene, rewrite = scene_and_rewrite(steps, {0: mistake})

    assert apply_cascades(scene, rewrite, "E01").final_steps == (mistake, later)


@pytest.mark.parametrize(
    ("steps", "changed", "expected"),
    [
        (
            ["Chop-Chop 1/4 red bell pepper", "Place the chopped pepper in the bowl"],
            {0: "Taste the red bell pepper"},
            "Place the whole pepper in the bowl",
        ),
        (
            ["whisk-In a bowl, whisk 1 cup of chilled curd", "Add cucumber to the whisked curd"],
            {0: "sniff at the chilled curd"},
            "Add cucumber to the unwhisked curd",
        ),
        (
            ["Chop the red onion", "Chop the spring onion", "Add the chopped onion to the pan"],
            {0: "Taste the red onion"},
            "Add the chopped onion to the pan",
        ),
    ],
)
def test_thing_that_was_not_prepared_is_found_under_its_last_word(steps, changed, expected):
    scene, rewrite = scene_and_rewrite(steps, changed)

    assert apply_cascades(scene, rewrite, "E01").rows[-1].text == expected
