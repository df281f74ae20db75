"""Each role and scope changes what it should in the text, and nothing else.

How the changes are worded is in the golden files (`test_golden_takes.py`).
"""

import re

import pytest

from generation.engine.english.surface import article_for
from generation.engine.english.words import MANY, mentions, words_of
from generation.engine.planner.taxonomy import MutationScope
from generation.engine.rewriting.lexicon.kinds import recognise
from generation.engine.rewriting.mutations import mutations
from generation.engine.rewriting.role_text import role_span
from generation.engine.rewriting.scene import scene_of
from generation.engine.rewriting.way_mutations import swapped_words

ENTITY, ATTRIBUTE, SUBSTRUCTURE = (
    MutationScope.ENTITY,
    MutationScope.ATTRIBUTE,
    MutationScope.SUBSTRUCTURE,
)


def texts_of(text, role, scope, semrep="", scenario="Cooking"):
    scene = scene_of(scenario, [(text, semrep)])
    return [item.text for item in mutations(scene, scene.steps[0], text, role, scope)]


def words_for(marked, role, scope=ENTITY, semrep="", scenario="Cooking"):
    """Return what stands where the text has brackets; the words around them stay as they were."""
    before, named, after = re.split(r"[\[\]]", marked)
    texts = texts_of(before + named + after, role, scope, semrep, scenario)
    found = [text.removeprefix(before).removesuffix(after) for text in texts]
    assert texts == [before + words + after for words in found]
    assert found
    assert named not in found
    return found


@pytest.mark.parametrize(
    ("text", "role", "thing"),
    [
        ("Get [an onion] from the shelf", "Object", "onion"),
        ("Get an onion from the [shelf]", "Origin", "shelf"),
        ("Stir the tea with [a spoon]", "Instrument", "spoon"),
    ],
)
def test_thing_is_mistaken_for_another_of_its_kind_with_its_own_article(text, role, thing):
    domain = scene_of("Cooking", []).domain
    for words in words_for(text, role):
        article, _, noun = words.rpartition(" ")
        match = recognise(words.replace(" ", "_"), domain)
        assert not mentions(words, thing)
        assert match.kind.name == recognise(thing, domain).kind.name
        assert article.partition(" ")[0] in {"", "some", article_for(words.partition(" ")[2])}, noun


@pytest.mark.parametrize(
    ("text", "role", "thing"),
    [
        ("Get a jar of [oil]", "Object", "oil"),
        ("Get pasta from a pack of [noodles]", "Origin", "noodles"),
    ],
)
def test_package_is_mistaken_for_one_of_something_else(text, role, thing):
    assert [words for words in words_for(text, role) if mentions(words, thing)] == []


@pytest.mark.parametrize(
    ("text", "role", "scope", "thing"),
    [
        ("Stir the tea with [a spoon]", "Instrument", ATTRIBUTE, "spoon"),
        ("Add [hot water] to the cup", "Object", ATTRIBUTE, "water"),
        ("Cut [a red onion]", "Object", ATTRIBUTE, "onion"),
        ("Cut [the bread] in half", "Object", ATTRIBUTE, "bread"),
        ("Pour milk [into a cup]", "Destination", SUBSTRUCTURE, " a cup"),
        ("Get a cup [from the shelf]", "Origin", SUBSTRUCTURE, " the shelf"),
        ("Chop-Chop [the onion]", "Object", ATTRIBUTE, "onion"),
    ],
)
def test_thing_goes_wrong_in_its_quality_or_its_place(text, role, scope, thing):
    assert [words for words in words_for(text, role, scope) if not words.endswith(thing)] == []


@pytest.mark.parametrize(
    ("text", "semrep", "role"),
    [
        (
            "Tap the shoulder [to check] for consciousness",
            "TAP(Object: shoulder, Purpose: CHECK_FOR(Object: consciousness))",
            "Purpose",
        ),
        (
            "Whisk[ until] the egg is smooth",
            "WHISK(Object: egg, Temporal: UNTIL(SMOOTH(Object: egg)))",
            "Temporal",
        ),
        ("Wait for [1-2] minutes", "WAIT(Duration: for(1-2_minutes))", "Duration"),
        (
            "Cut the dough into strips with a cutter[]",
            "CUT(Object: dough, Result: into(strips), Instrument: with(cutter))",
            "Result",
        ),
        (
            "Mix the flour [together with a fork]",
            "MIX(Object: flour, Manner: together, Instrument: with(fork))",
            "Manner",
        ),
        (
            "Place blocks from [left to right]",
            "PLACE(Object: blocks, Direction: from(left(to(right))))",
            "Direction",
        ),
        ("Water the plant[]", "WATER(Object: plant, Instrument: with(watering_can))", "Instrument"),
    ],
)
def test_role_that_names_no_thing_goes_wrong_too(text, semrep, role):
    assert words_for(text, role, semrep=semrep)


@pytest.mark.parametrize("amount", ["1 minute", "2 minutes"])
def test_unit_agrees_with_its_number(amount):
    semrep = f"WAIT(Duration: for({amount.replace(' ', '_')}))"

    found = [
        words.split() for words in words_for(f"Wait for [{amount}]", "Duration", ENTITY, semrep)
    ]

    assert [(number, unit) for number, unit in found if (number == "1") is unit.endswith("s")] == []


def test_quality_that_the_verb_gives_is_not_offered():
    found = words_for("Crack [an egg] into the bowl", "Object", ATTRIBUTE)

    assert not any("cracked" in words for words in found)


def test_noun_before_a_noun_stays_with_it():
    semrep = "ROTATE(Object: pedal(of(bicycle)))"
    found = words_for("Rotate [the] bicycle pedal", "Object", ATTRIBUTE, semrep, "Fix a bicycle")

    assert len(found) > 1


def test_place_that_is_left_unsaid_is_spelled_out_and_missed():
    semrep = "POUR(Object: water, Destination: over(grounds))"
    found = words_for("Pour the water[]", "Destination", SUBSTRUCTURE, semrep)

    assert [words for words in found if not words.endswith(" the grounds")] == []
    assert not any("halfway" in words for words in found)


def test_claim_that_is_to_be_checked_stays_and_the_check_goes_wrong():
    semrep = "CHECK(Criterion: PINCHED(Object: tube))"

    assert words_for("Check that the tube is not pinched[]", "Criterion", ENTITY, semrep)


def test_counted_thing_follows_its_number():
    semrep = "PUT(Object: oil, Quantity: one(drop))"
    text = "Put [one drop] of oil on the link"

    counted = [
        words.split() for words in words_for(text, "Quantity", ENTITY, semrep, "Fix a bike")
        if words.partition(" ")[0] in MANY
    ]  # fmt: skip

    assert {unit for _, unit in counted} == {"drops"}


def test_word_of_a_longer_name_is_no_place():
    semrep = "SCREW(Object: valve_cap, Destination: on(valve))"
    found = words_for("Screw the valve cap on[]", "Destination", ENTITY, semrep, "Fix a bike")

    assert {words[:5] for words in found} == {" the "}


def test_idiom_is_no_place():
    texts = texts_of("Connect the lamps in series", "Location", SUBSTRUCTURE, scenario="Circuits")

    assert not any("next to" in text or "on top of" in text for text in texts)


def test_role_that_the_step_lacks_offers_nothing():
    assert texts_of("Wait", "Destination", ENTITY) == []


def test_scope_that_has_nothing_offers_nothing():
    scene = scene_of("Assembly", [("Attach the zark to the hull", "")])
    step = scene.steps[0]

    assert mutations(scene, step, step.text, "Object", ENTITY) == ()
    assert mutations(scene, step, step.text, "Object", ATTRIBUTE) != ()


def test_one_of_two_names_of_a_thing_is_no_thing_to_exchange():
    text = "Heat the oil in a heavy-bottomed or nonstick pan"

    assert not any("baking sheet" in item for item in texts_of(text, "Location", ENTITY))


def test_nothing_is_beside_itself_and_no_part_is_a_place():
    floor = texts_of("Get the cloth from the floor", "Origin", SUBSTRUCTURE)
    inside = texts_of("Check the inside of the tyre", "Object", SUBSTRUCTURE)

    assert not any("under the floor" in text or "edge of the floor" in text for text in floor)
    assert not any("the next to" in text or "of of" in text for text in inside)


def test_nothing_has_five_sides():
    texts = texts_of("Pry one side of the tyre off", "Object", ATTRIBUTE, scenario="Fix a tyre")

    assert not any(" sides " in text for text in texts)


def test_wrong_thing_is_not_in_the_state_of_the_right_one():
    found = words_for("Take the ring off the [burned] arm", "Origin", ATTRIBUTE)

    assert any(" " not in words for words in found)
    assert not any("wrong burned" in words for words in found)


@pytest.mark.parametrize("before", ["Simmer for 5 minutes", "Simmer for 5 minutes,", "Simmer"])
@pytest.mark.parametrize("word", ["", " or", " just"])
def test_time_that_stops_early_leaves_no_word_and_no_second_comma(before, word):
    texts = texts_of(f"{before}{word} until the sauce is thick", "Temporal", ENTITY)

    early = [text for text in texts if ", but stop before" in text]
    assert early == [f"{before.rstrip(',')}, but stop before the sauce is thick"]


def test_unit_of_a_wrong_amount_agrees_with_its_number():
    texts = texts_of("Heat for 1 more minute", "Duration", ENTITY)

    assert "Heat for 2 more minutes" in texts
    assert "Heat for 2 more minute" not in texts


@pytest.mark.parametrize(
    ("text", "role", "scope", "expected"),
    [
        ("tap it to the centre", "Object", ENTITY, "tap the wrong one to the centre"),
        ("pull them into shape", "Object", ATTRIBUTE, "pull the wrong ones into shape"),
        ("seal the rest in a bag", "Object", ENTITY, "seal the wrong one in a bag"),
        (
            "hook a clip into all of them",
            "Destination",
            ENTITY,
            "hook a clip into the wrong one of",
        ),
        ("hang the cloth over it", "Destination", SUBSTRUCTURE, "hang the cloth beside it"),
    ],
)
def test_word_for_a_thing_is_replaced_where_the_thing_is_not_named(text, role, scope, expected):
    found = [item for tried in (scope, ENTITY) for item in texts_of(text, role, tried)]

    assert any(item.startswith(expected) for item in found), found


def test_what_a_pronoun_means_is_mistaken_for_a_thing_of_its_sort():
    texts = ["Fold the napkin", "Wash the towel", "pull it into shape"]
    scene = scene_of("Laundry", [(text, "") for text in texts])

    found = [item.text for item in mutations(scene, scene.steps[2], texts[2], "Object", ENTITY)]

    assert found == ["pull the napkin into shape", "pull the wrong one into shape"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Set a cam in each of the cracks", "Set a cam in every other one of the cracks"),
        ("Oil all of the hinges", "Oil half of the hinges"),
    ],
)
def test_quantity_before_of_stays_english(text, expected):
    scene = scene_of("Climbing", [(text, "")])
    step = scene.steps[0]

    changed = [change for change, _, _ in swapped_words(step, text, list(words_of(text)))]

    assert expected in changed
    assert not any("the of" in change or "other of" in change for change in changed)


def test_thing_before_the_verb_is_found_where_it_is_not_named_behind_it():
    text = "In the pan, melt the butter"
    scene = scene_of("Cooking", [(text, "")])

    span = role_span(scene.steps[0], text, "Location", "pan")

    assert text[span.start : span.end] == "pan"
