"""A scene knows its things, and reads steps without a representation from their text."""

from generation.engine.rewriting.families import Family
from generation.engine.rewriting.lexicon.domains import Domain
from generation.engine.rewriting.scene import scene_of

STEPS = [
    ("Get a bowl from the shelf", "GET(Agent: you, Object: bowl, Origin: from(shelf))", "Tools"),
    ("Crack an egg into the bowl", "", None),
    ("Whisk the egg", "broken((", None),
    ("Get a bowl from the sink", "GET(Agent: you, Object: bowl, Origin: from(sink))", "Tools"),
]


def test_scene_tells_where_things_are_named_and_acquired():
    scene = scene_of("Cooking an omelet", STEPS)

    assert scene.domain is Domain.KITCHEN
    assert scene.first_named == {"bowl": 0, "shelf": 0, "egg": 1, "sink": 3}
    assert scene.acquired_at == {"bowl": (0, 3)}
    assert (scene.is_named_before("egg", 1), scene.is_named_before("egg", 2)) == (False, True)


def test_step_without_a_readable_representation_is_read_from_its_text():
    scene = scene_of("Cooking an omelet", STEPS)

    assert [step.family for step in scene.steps[1:3]] == [Family.ADD, Family.STIR]
    assert [step.object_head for step in scene.steps[1:3]] == ["egg", "egg"]


def test_step_without_a_word_has_no_tree():
    step = scene_of("", [("…", "", None)]).steps[0]

    assert (step.tree, step.family, step.object_head) == (None, Family.OTHER, None)
