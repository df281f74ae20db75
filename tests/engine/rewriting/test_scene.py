"""A scene knows its things, and reads steps without a representation from their text."""

import threading

from generation.engine.english.families import Family
from generation.engine.english.things import named_things
from generation.engine.rewriting import scene as scene_module
from generation.engine.rewriting.lexicon.domains import Domain
from generation.engine.rewriting.scene import kept_scene, scene_of

STEPS = [
    ("Get a bowl from the shelf", "GET(Agent: you, Object: bowl, Origin: from(shelf))"),
    ("Crack an egg into the bowl", ""),
    ("Whisk the egg", "broken(("),
    ("Get a bowl from the sink", "GET(Agent: you, Object: bowl, Origin: from(sink))"),
]


def test_scene_tells_where_things_are_acquired():
    scene = scene_of("Cooking an omelet", STEPS)

    assert scene.domain is Domain.KITCHEN
    assert scene.acquired_at == {"bowl": (0, 3)}


def test_step_without_a_readable_representation_is_read_from_its_text():
    scene = scene_of("Cooking an omelet", STEPS)

    assert [step.family for step in scene.steps[1:3]] == [Family.ADD, Family.STIR]
    assert [step.object_head for step in scene.steps[1:3]] == ["egg", "egg"]


def test_step_without_a_word_has_no_tree():
    step = scene_of("", [("…", "")]).steps[0]

    assert (step.tree, step.family, step.object_head) == (None, Family.OTHER, None)


def test_thing_is_at_hand_from_its_acquisition_until_it_is_put_away():
    steps = ["Wait", "Get a cup", "Wash the cup", "Put away the cup", "Wait", "Get a cup", "Wait"]
    possession = scene_of("", [(text, "") for text in steps]).possession

    at_hand = [possession.is_at_hand("cup", index) for index in range(len(steps))]

    assert at_hand == [False, False, True, True, False, False, True]
    assert possession.is_at_hand("tap", 0)


def test_procedure_whose_things_no_list_knows_is_of_no_listed_domain():
    steps = ["Cut the cardstock", "Fold the card", "Glue the banner onto the card"]

    assert scene_of("Make a card", [(text, "") for text in steps]).domain is Domain.GENERAL
    soup = ["Get the pot", "Cut the onion", "Add the onion to the pot"]
    assert scene_of("Make a soup", [(text, "") for text in soup]).domain is Domain.KITCHEN


def test_procedure_is_asked_once_whatever_asks():
    steps = (("Loosen the nut with the wrench", ""), ("Lift the lid", ""))
    asked = []

    def question(scene, step):
        asked.append(step.index)
        return step.text

    for _ in range(3):
        scene = kept_scene("Opening a box", steps)
        assert scene.once(question, scene.steps[1]) == "Lift the lid"

    assert asked == [1]
    assert scene_of("Opening a box", steps) == scene


def test_threads_that_share_a_scene_see_all_that_it_names(monkeypatch):
    """Takes of a run are worked on in threads, and those of one procedure share its scene."""
    steps = [("Rinse the bowl", ""), ("Dry the bowl", ""), ("Fill the jar", "")]
    scene = scene_of("Dishes", steps)
    seen_beside = []

    def named_while_another_asks(text):
        monkeypatch.setattr(scene_module, "named_things", named_things)
        other = threading.Thread(target=lambda: seen_beside.extend(scene.uses_of("jar")))
        if text == "Fill the jar":
            other.start()
            other.join()
        else:
            monkeypatch.setattr(scene_module, "named_things", named_while_another_asks)
        return named_things(text)

    monkeypatch.setattr(scene_module, "named_things", named_while_another_asks)

    assert [index for index, _ in scene.uses_of("bowl")] == [0, 1]
    assert [index for index, _ in seen_beside] == [2]
    assert [index for index, _ in scene.uses_of("jar")] == [2]
