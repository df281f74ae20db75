"""Each role and scope changes what it should in the text, and nothing else."""

import pytest

from generation.engine.planner.taxonomy import MutationScope
from generation.engine.rewriting.mutations import mutations
from generation.engine.rewriting.scene import scene_of

ENTITY, ATTRIBUTE, SUBSTRUCTURE = (
    MutationScope.ENTITY,
    MutationScope.ATTRIBUTE,
    MutationScope.SUBSTRUCTURE,
)


def texts_of(text, role, scope, semrep="", scenario="Cooking"):
    scene = scene_of(scenario, [(text, semrep, None)])
    return [item.text for item in mutations(scene, scene.steps[0], text, role, scope)]


@pytest.mark.parametrize(
    ("text", "role", "scope", "expected"),
    [
        ("Get an onion from the shelf", "Object", ENTITY, "Get a potato from the shelf"),
        ("Get an onion from the shelf", "Origin", ENTITY, "Get an onion from the pantry"),
        ("Get a jar of oil", "Object", ENTITY, "Get a jar of honey"),
        ("Get pasta from a pack of noodles", "Origin", ENTITY, "Get pasta from a pack of rice"),
        ("Stir the tea with a spoon", "Instrument", ENTITY, "Stir the tea with some chopsticks"),
        ("Stir the tea with a spoon", "Instrument", ATTRIBUTE, "Stir the tea with a dirty spoon"),
        ("Add hot water to the cup", "Object", ATTRIBUTE, "Add cold water to the cup"),
        ("Cut a red onion", "Object", ATTRIBUTE, "Cut a green onion"),
        ("Pour milk into a cup", "Destination", SUBSTRUCTURE, "Pour milk onto the rim of a cup"),
        (
            "Get a cup from the shelf",
            "Origin",
            SUBSTRUCTURE,
            "Get a cup from the wrong corner of the shelf",
        ),
        ("Cut the bread in half", "Object", ATTRIBUTE, "Cut the wrong bread in half"),
    ],
)
def test_role_goes_wrong_in_its_scope(text, role, scope, expected):
    assert expected in texts_of(text, role, scope)


@pytest.mark.parametrize(
    ("text", "semrep", "role", "expected"),
    [
        (
            "Tap the shoulder to check for consciousness",
            "TAP(Object: shoulder, Purpose: CHECK_FOR(Object: consciousness))",
            "Purpose",
            "Tap the shoulder without checking for consciousness",
        ),
        (
            "Whisk until the egg is smooth",
            "WHISK(Object: egg, Temporal: UNTIL(SMOOTH(Object: egg)))",
            "Temporal",
            "Whisk, but stop before the egg is smooth",
        ),
        ("Wait for 2 minutes", "WAIT(Duration: for(2_minutes))", "Duration", "Wait for 10 minutes"),
        (
            "Wait for 1-2 minutes",
            "WAIT(Duration: for(1-2_minutes))",
            "Duration",
            "Wait for 5-10 minutes",
        ),
        (
            "Heat it for 1 minute",
            "HEAT(Object: it, Duration: for(1_minute))",
            "Duration",
            "Heat it for 5 minutes",
        ),
        (
            "Cut the dough into strips with a cutter",
            "CUT(Object: dough, Result: into(strips), Instrument: with(cutter))",
            "Result",
            "Cut the dough into uneven chunks with a cutter",
        ),
        (
            "Mix the flour together with a fork",
            "MIX(Object: flour, Manner: together, Instrument: with(fork))",
            "Manner",
            "Mix the flour separately with a fork",
        ),
        (
            "Place blocks from left to right",
            "PLACE(Object: blocks, Direction: from(left(to(right))))",
            "Direction",
            "Place blocks from right to left",
        ),
        (
            "Water the plant",
            "WATER(Object: plant, Instrument: with(watering_can))",
            "Instrument",
            "Water the plant with the bucket",
        ),
    ],
)
def test_role_that_names_no_thing_goes_wrong_too(text, semrep, role, expected):
    assert expected in texts_of(text, role, ENTITY, semrep)


def test_quality_that_the_verb_gives_is_not_offered():
    texts = texts_of("Crack an egg into the bowl", "Object", ATTRIBUTE)

    assert "Crack an unwashed egg into the bowl" in texts
    assert not any("cracked" in text for text in texts)


def test_noun_before_a_noun_stays_with_it():
    semrep = "ROTATE(Object: pedal(of(bicycle)))"
    texts = texts_of("Rotate the bicycle pedal", "Object", ATTRIBUTE, semrep, "Fix a bicycle")

    assert "Rotate the dusty bicycle pedal" in texts


def test_place_that_is_left_unsaid_is_spelled_out_and_missed():
    semrep = "POUR(Object: water, Destination: over(grounds))"
    texts = texts_of("Pour the water", "Destination", SUBSTRUCTURE, semrep)

    assert "Pour the water beside the grounds" in texts
    assert not any("halfway" in text for text in texts)


def test_label_before_an_instruction_stays_as_it_is():
    texts = texts_of("Chop-Chop the onion", "Object", ATTRIBUTE)

    assert all(text.startswith("Chop-Chop ") for text in texts)
    assert "Chop-Chop only half of the onion" in texts


def test_claim_is_turned_round_or_hardly_checked():
    semrep = "CHECK(Criterion: PINCHED(Object: tube))"
    texts = texts_of(
        "Check that the tube is not pinched", "Criterion", ENTITY, semrep, "Fix a bike"
    )

    assert "Check that the tube is pinched" in texts
    assert "Check that the tube is not pinched with only a quick glance" in texts


def test_counted_thing_follows_its_number():
    semrep = "PUT(Object: oil, Quantity: one(drop))"
    texts = texts_of("Put one drop of oil on the link", "Quantity", ENTITY, semrep, "Fix a bike")

    assert "Put two drops of oil on the link" in texts


def test_word_of_a_longer_name_is_no_place():
    semrep = "SCREW(Object: valve_cap, Destination: on(valve))"
    texts = texts_of("Screw the valve cap on", "Destination", ENTITY, semrep, "Fix a bike")

    assert "Screw the valve cap on the spoke nipple" in texts
    assert not any("cap cap" in text or "on on" in text for text in texts)


def test_idiom_is_no_place():
    texts = texts_of("Connect the lamps in series", "Location", SUBSTRUCTURE, scenario="Circuits")

    assert not any("next to" in text or "on top of" in text for text in texts)


def test_role_that_the_step_lacks_offers_nothing():
    assert texts_of("Wait", "Destination", ENTITY) == []


def test_other_scopes_help_out_where_the_planned_one_has_nothing():
    scene = scene_of("Assembly", [("Attach the zark to the hull", "", None)])
    found = mutations(scene, scene.steps[0], scene.steps[0].text, "Object", ENTITY)

    assert {item.scope for item in found} == {ATTRIBUTE}


def test_one_of_two_names_of_a_thing_is_no_thing_to_exchange():
    text = "Heat the oil in a heavy-bottomed or nonstick pan"

    assert not any("baking sheet" in item for item in texts_of(text, "Location", ENTITY))


def test_nothing_is_beside_itself_and_no_part_is_a_place():
    floor = texts_of("Get the cloth from the floor", "Origin", SUBSTRUCTURE)
    shelf = texts_of("Get the cloth from the shelf", "Origin", SUBSTRUCTURE)
    inside = texts_of("Check the inside of the tyre", "Object", SUBSTRUCTURE)

    assert any("edge of the shelf" in text or "corner of the shelf" in text for text in shelf)
    assert not any("under the floor" in text or "edge of the floor" in text for text in floor)
    assert not any("the next to" in text or "of of" in text for text in inside)


def test_nothing_has_five_sides():
    texts = texts_of("Pry one side of the tyre off", "Object", ATTRIBUTE, scenario="Fix a tyre")

    assert not any(" sides " in text for text in texts)


def test_wrong_thing_is_not_in_the_state_of_the_right_one():
    text = "Take the ring off the burned arm"

    assert "Take the ring off the wrong arm" in texts_of(text, "Origin", ATTRIBUTE)
