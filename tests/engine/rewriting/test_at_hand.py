"""What is at hand, and what can be done with it, told by what the procedure does with it."""

import pytest

from generation.engine.rewriting.at_hand import Sort, sorts, things_at_hand
from generation.engine.rewriting.lexicon.domains import Domain
from generation.engine.rewriting.lexicon.kinds import kinds_of
from generation.engine.rewriting.scene import scene_of


def at_hand(steps, index, gone=frozenset()):
    scene = scene_of("", [(text, "") for text in steps])
    return {thing.words: thing.sort for thing in things_at_hand(scene, index, gone)}


@pytest.mark.parametrize(
    ("step", "words", "sort"),
    [
        ("Pick up the gromel", "gromel", Sort.HELD),
        ("Loosen the nut with the gromel", "gromel", Sort.TOOL),
        ("Pour the gromel into the funnel", "gromel", Sort.LIQUID),
        ("Apply gromel to the seat", "gromel", Sort.STUFF),
        ("Inspect the gromel", "gromel", Sort.THING),
        ("draw blood", "blood", Sort.LIQUID),
        ("comb the dog", "dog", Sort.BEING),
        ("Wrap the cuff around the arm", "arm", Sort.BODY),
        ("Dry the hood with a towel", "towel", Sort.CLOTH),
        ("Dry the hood with a towel", "hood", Sort.FIXED),
        ("Let the polish dry", "polish", Sort.STUFF),
    ],
)
def test_action_on_a_thing_tells_its_sort(step, words, sort):
    assert at_hand([step, "Wait"], 1)[words] is sort


@pytest.mark.parametrize(
    "step",
    [
        "Fold the corners to the middle",
        "Wait for ten minutes",
        "…",
        "Turn down to medium",
        "press hard",
        "bend to check",
        "look up and run",
        "count to ten",
    ],
)
def test_words_that_are_no_thing_are_not_at_hand(step):
    assert at_hand([step, "Wait"], 1) == {}


def test_thing_to_be_avoided_is_no_part_of_a_name():
    found = at_hand(["spread gromel but not touch the trunk", "Wait"], 1)

    assert "gromel" in found
    assert not any(" but " in words for words in found)


def test_thing_is_not_at_hand_before_it_is_brought_or_made_nor_after_it_is_put_away():
    steps = ["Fetch the hose", "Put away the hose", "Build a wall of clay"]

    assert "hose" not in at_hand(steps, 0)
    assert "hose" in at_hand(steps, 1)
    assert "hose" not in at_hand(steps, 2)
    assert "wall" not in at_hand(steps, 2)


def test_thing_that_hangs_together_with_another_is_only_touched():
    steps = ["Insert the battery", "Wait", "Take out the battery", "Wait"]

    sorts_at = [at_hand(steps, index)["battery"] for index in range(4)]

    assert sorts_at == [Sort.HELD, Sort.THING, Sort.THING, Sort.HELD]


def test_thing_is_named_in_the_state_that_it_is_in():
    steps = ["Rinse the brush", "Wait", "Dry the brush", "Wait"]

    assert "wet brush" in at_hand(steps, 1)
    assert "brush" in at_hand(steps, 3)
    assert "brush" in at_hand(steps, 1, frozenset({0}))


@pytest.mark.parametrize("step", ["Put the mug's contents on a plate", "Wipe the mug’s rim"])
def test_thing_with_a_possessive_is_named_without_it(step):
    assert {words for words in at_hand([step, "Wait"], 1) if words.startswith("mug")} == {"mug"}


@pytest.mark.parametrize("said", ["both brackets", "all the brackets", "all of the brackets"])
def test_several_things_are_named_without_how_many(said):
    assert "brackets" in at_hand([f"Carry {said}", "Wait"], 1)


def test_thing_keeps_the_capitals_of_its_name():
    assert "switch S2" in at_hand(["Connect the switch S2 to the lamp", "Wait"], 1)


def test_every_kind_of_the_word_lists_has_one_sort():
    listed = [kind for kinds in sorts().kinds.values() for kind in kinds]
    known = {kind.name.partition("@")[0] for domain in Domain for kind in kinds_of(domain)}

    assert len(set(listed)) == len(listed)
    assert known <= set(listed)


def test_every_noun_has_one_sort():
    listed = [noun for nouns in sorts().nouns.values() for noun in nouns]

    assert len(set(listed)) == len(listed)
