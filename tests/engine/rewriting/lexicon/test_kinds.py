"""Things are recognised by the end of their name and have alternatives of their kind."""

import pytest

from generation.engine.english.words import compact
from generation.engine.rewriting.lexicon.domains import Domain
from generation.engine.rewriting.lexicon.kinds import kinds_of, recognise, same_kind

# Nobody mistakes these for anything, and they are never of the wrong sort.
WITHOUT_QUALITIES = {"air", "person", "hole", "gap", "filling", "device", "packing"}


@pytest.mark.parametrize(
    ("head", "domain", "kind", "thing", "before"),
    [
        ("chopped_tomatoes", Domain.KITCHEN, "vegetable", "tomato", "chopped"),
        ("tire_lever", Domain.BICYCLE, "lever", "tire lever", ""),
        ("tube", Domain.BICYCLE, "tube", "inner tube", ""),
        ("tube", Domain.LABORATORY, "vial", "test tube", ""),
        ("kitchen_counter", Domain.KITCHEN, "surface", "countertop", ""),
    ],
)
def test_thing_is_recognised(head, domain, kind, thing, before):
    match = recognise(head, domain)

    assert (match.kind.name, match.thing, match.before) == (kind, thing, before)


def test_unknown_thing_has_no_kind_and_no_alternatives():
    assert recognise("quodlibet", Domain.KITCHEN) is None
    assert same_kind("quodlibet", Domain.KITCHEN) == ()


def test_other_name_of_a_thing_is_no_alternative():
    alternatives = {noun.words for noun in same_kind("counter_top", Domain.KITCHEN)}

    assert "table" in alternatives
    assert not alternatives & {"countertop", "counter top", "kitchen counter"}


def test_family_of_the_action_has_a_list_of_its_own():
    added = {noun.words for noun in same_kind("water", Domain.KITCHEN, "add")}
    cleaned = {noun.words for noun in same_kind("water", Domain.KITCHEN, "clean")}

    assert "milk" in added - cleaned
    assert "soapy water" in cleaned - added


def test_thing_in_parentheses_is_known_and_never_offered():
    assert recognise("narrow_gap", Domain.GENERAL).kind.name == "gap"
    assert same_kind("gap", Domain.GENERAL) == ()


def test_place_beside_a_thing_is_named_after_it():
    words = {noun.words for noun in same_kind("burn", Domain.FIRST_AID)}

    assert "skin beside the burn" in words


@pytest.mark.parametrize("domain", list(Domain))
def test_no_kind_has_a_thing_twice(domain):
    for kind in kinds_of(domain):
        writings = [writing for names in kind.names for writing in set(map(compact, names))]
        assert len(writings) == len(set(writings)), kind.name
