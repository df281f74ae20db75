"""Slips take the things near their place, and say how much they have to do with it."""

import string

import pytest

from generation.engine.english.words import kin, names
from generation.engine.rewriting.filled_slips import filled_slips, repeated_additions
from generation.engine.rewriting.lexicon.domains import Domain, words_of_domain
from generation.engine.rewriting.lexicon.slips import slips_of, slot_kinds
from generation.engine.rewriting.scene import scene_of

STEPS = [
    "Get both onions from the shelf",
    "Get the milk from the fridge",
    "Pour milk into the bowl",
    "Stir the milk",
    "Wait", "Wait", "Wait", "Wait", "Wait", "Wait", "Wait", "Wait", "Wait",
]  # fmt: skip


@pytest.fixture
def scene():
    return scene_of("Cooking", [(text, "", None) for text in STEPS])


def texts(slips):
    return [slip.text for slip in slips]


def test_slips_take_the_things_at_hand(scene):
    found = texts(filled_slips(scene, 3))

    assert "Tip some of the milk on the countertop" in found
    assert "Balance the bowl on the edge of the countertop" in found
    assert "Drop a piece of the onions on the floor" in found


def test_thing_that_was_named_long_ago_is_not_at_hand(scene):
    assert not any("milk" in text for text in texts(filled_slips(scene, 12)))
    assert any("milk" in text for text in texts(filled_slips(scene, 12, is_anywhere=True)))


def test_slip_with_a_thing_of_the_next_step_fits_best(scene):
    fits = {slip.text: slip.fit for slip in filled_slips(scene, 3)}

    assert (
        fits["Tip some of the milk on the countertop"]
        > fits["Drop a piece of the onions on the floor"]
        > 1
    )


def test_repair_names_what_the_slip_touched(scene):
    repairs = {slip.text: slip.repair for slip in filled_slips(scene, 3)}

    assert repairs["Tip some of the milk on the countertop"] == (
        "Wipe the spilled milk off the countertop"
    )


def test_addition_is_repeated(scene):
    (slip,) = repeated_additions(scene, 3)

    assert (slip.text, slip.repair) == (
        "Pour extra milk into the bowl",
        "Scoop the extra milk out of the bowl",
    )


@pytest.mark.parametrize("domain", list(Domain))
def test_word_lists_are_whole(domain):
    slips = slips_of(domain)

    assert len(slips) > 10
    assert len({slip.text for slip in slips}) == len(slips)
    assert len(words_of_domain(domain).instead) > 4
    for slip in slips:
        slots = {name for _, name, _, _ in string.Formatter().parse(slip.text) if name}
        repaired = {name for _, name, _, _ in string.Formatter().parse(slip.repair) if name}
        assert slots <= set(slot_kinds()), slip
        assert repaired <= slots | {"surface"}, slip


def test_every_domain_has_slips_that_need_nothing():
    for domain in Domain:
        bare = scene_of("", [("Wait", "", None)] * 3)
        assert domain in Domain
        assert texts(filled_slips(bare, 1, is_anywhere=True))


THING_IN_SLOT = {
    "liquid": "milk", "powder": "salt", "food": "tomato", "produce": "onion", "container": "bowl",
    "pan": "skillet", "pack": "bag", "utensil": "spoon", "blade": "knife", "spanner": "wrench",
    "bikepart": "pedal", "round": "wheel", "valve": "valve stem", "cloth": "rag",
    "swab": "nasal swab", "indicator": "test strip", "body": "chest", "limb": "arm",
    "dressing": "gauze", "protection": "mask", "paper": "manual", "shoot": "stem",
    "held": "screwdriver", "bread": "sandwich", "soap": "soap", "jewel": "bracelet", "hot": "iron",
    "thing": "printer", "large": "wheel", "upright": "jug", "bottled": "oil", "sticky": "tape",
    "bin": "recycling box",
    "supply": "cartridge", "board": "chopping board", "surface": "table", "soft": "dough",
    "egg": "egg", "filled": "jug", "flowerpot": "pot", "turner": "wrench", "rubber": "tyre",
    "rod": "glass rod", "sheet": "recipe", "patient": "patient", "wound": "cut",
    "innertube": "tube", "plant": "plant", "device": "printer", "panel": "cover", "part": "bolt",
}  # fmt: skip


@pytest.mark.parametrize("domain", list(Domain))
def test_repair_speaks_of_what_its_slip_acts_on(domain):
    for slip in slips_of(domain):
        text = slip.text.format(**THING_IN_SLOT)
        thing = scene_of("", [(text, "", None)]).steps[0].object_head
        assert thing is None or names(slip.repair.format(**THING_IN_SLOT), kin(thing)), text


def test_thing_that_was_put_away_is_not_at_hand():
    steps = ["Get the milk", "Put away the milk", "Wait"]
    scene = scene_of("Cooking", [(text, "", None) for text in steps])

    assert not any("milk" in text for text in texts(filled_slips(scene, 2)))


def test_thing_keeps_the_capitals_of_its_name():
    steps = ["Connect the switch S2 to the lamp", "Wait"]
    scene = scene_of("Build a circuit", [(text, "", None) for text in steps])

    found = texts(filled_slips(scene, 1))

    assert any("switch S2" in text for text in found)
    assert not any("switch s2" in text for text in found)


def test_each_way_of_a_slip_has_its_own_repair(scene):
    repairs = {slip.text: slip.repair for slip in filled_slips(scene, 3)}

    for where in ("on the cabinet door", "on the floor"):
        slip = f"Drip milk {where.replace('on the cabinet', 'down the cabinet')}"
        assert repairs[slip] == f"Mop up the drips of milk {where}"


def test_thing_is_named_without_what_only_its_step_says_of_it():
    steps = ["Wipe the entire platter", "Get the appropriate wrench", "Wait"]
    scene = scene_of("Cooking", [(text, "", None) for text in steps])

    found = texts(filled_slips(scene, 2))

    assert any("the platter" in text for text in found)
    assert not any("entire" in text or "appropriate" in text for text in found)


def test_floor_is_no_table():
    scene = scene_of("Fix a bicycle", [("Remove the wheel from the frame", "", None)] * 3)

    found = texts(filled_slips(scene, 2, is_anywhere=True))

    assert any("on the floor" in text for text in found)
    assert not any("edge of the floor" in text or "off the floor" in text for text in found)


def test_no_slip_is_offered_twice(scene):
    found = texts(filled_slips(scene, 3, is_anywhere=True))

    assert len(set(found)) == len(found)
