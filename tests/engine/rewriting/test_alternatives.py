"""What could be taken for the right thing, and what could not."""

from generation.engine.rewriting.alternatives import alternatives
from generation.engine.rewriting.scene import scene_of
from generation.engine.semrep import Role

STEPS = [
    "Get a spoon from the drawer",
    "Get a bowl from the cabinet",
    "Get a tomato from the fridge",
    "Get a cucumber from the fridge",
    "Add the cucumber to the bowl",
    "Stir the cucumber with the spoon in the bowl",
    "Get a fork from the drawer",
    "Get the sugar bag from the cabinet",
]


def words_for(index, role, head, *, at_hand=True):
    scene = scene_of("Cooking", [(text, "") for text in STEPS])
    step = scene.steps[index]
    options = alternatives(scene, step, step.text, role, head)
    return {item.noun.words for item in options if item.is_at_hand is at_hand}


def test_acquired_thing_is_mistaken_for_one_that_the_procedure_lacks():
    options = words_for(3, Role.OBJECT, "cucumber")

    assert "bell pepper" in options
    assert "tomato" not in options


def test_used_thing_is_mistaken_for_one_that_is_at_hand():
    assert words_for(4, Role.OBJECT, "cucumber") == {"tomato"}


def test_tool_that_comes_later_is_not_at_hand_yet():
    assert words_for(5, Role.INSTRUMENT, "spoon") == set()
    assert "whisk" in words_for(5, Role.INSTRUMENT, "spoon", at_hand=False)


def test_place_is_mistaken_for_any_place_of_its_kind():
    assert {"drawer", "freezer"} <= words_for(1, Role.ORIGIN, "cabinet")


def test_package_is_mistaken_for_one_of_something_else():
    assert "salt bag" in words_for(7, Role.OBJECT, "sugar_bag")


def test_nothing_that_the_step_names_stands_in():
    scene = scene_of("Fix a bike", [("Fit the inner tube into the tire", "")])
    step = scene.steps[0]

    words = {
        item.noun.words for item in alternatives(scene, step, step.text, Role.OBJECT, "inner_tube")
    }

    assert words == {"rim strip"}


def test_thing_without_a_kind_is_mistaken_for_what_the_same_action_took():
    steps = ["Attach the blorp to the hull", "Attach the zark to the hull"]
    scene = scene_of("Assembly", [(text, "") for text in steps])
    step = scene.steps[1]

    options = alternatives(scene, step, step.text, Role.OBJECT, "zark")

    assert [(item.noun.words, item.is_at_hand) for item in options] == [("blorp", True)]


def test_thing_of_the_lists_that_the_procedure_has_not_got_yet_is_not_at_hand():
    steps = ["Wash the cup", "Get a mug from the shelf"]
    scene = scene_of("Cooking", [(text, "") for text in steps])
    step = scene.steps[0]

    options = alternatives(scene, step, step.text, Role.OBJECT, "cup")

    assert {item.noun.words: item.is_at_hand for item in options}["mug"] is False
    assert {item.noun.words: item.is_at_hand for item in options}["glass"] is True


def alternatives_in(steps, index, role, head, scenario="Cooking"):
    scene = scene_of(scenario, [(text, "") for text in steps])
    step = scene.steps[index]
    return {item.noun.words for item in alternatives(scene, step, step.text, role, head)}


def test_nothing_is_put_back_where_it_is():
    steps = [
        "attach windshield to chassis", "attach bucket to arm", "attach cabin to chassis",
        "detach cabin from chassis", "attach cabin back to chassis",
    ]  # fmt: skip

    again = alternatives_in(steps, 4, Role.OBJECT, "cabin", "Assemble a toy")
    at_first = alternatives_in(steps, 2, Role.OBJECT, "cabin", "Assemble a toy")

    assert "windshield" in at_first
    assert "windshield" not in again


def test_box_for_batteries_is_no_box_to_put_things_in():
    steps = ["Connect the motor to the battery box", "Put the lamp in the box"]

    assert "drawer" not in alternatives_in(steps, 0, Role.DESTINATION, "battery_box", "Assembly")
    assert "drawer" in alternatives_in(steps, 1, Role.DESTINATION, "box", "Assembly")
