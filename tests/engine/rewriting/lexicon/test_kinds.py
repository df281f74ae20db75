"""Things are recognised by the end of their name and have alternatives of their kind."""

import pytest

from generation.engine.rewriting.lexicon.domains import Domain
from generation.engine.rewriting.lexicon.kinds import kinds_of, recognise, same_kind
from generation.engine.rewriting.phrases import compact


@pytest.mark.parametrize(
    ("head", "domain", "kind", "thing", "before"),
    [
        ("chopped_tomatoes", Domain.KITCHEN, "vegetable", "tomato", "chopped"),
        ("tire_lever", Domain.BICYCLE, "lever", "tire lever", ""),
        ("tube", Domain.BICYCLE, "tyre", "inner tube", ""),
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


@pytest.mark.parametrize("domain", list(Domain))
def test_every_kind_offers_alternatives_and_no_thing_twice(domain):
    for kind in kinds_of(domain):
        writings = [writing for names in kind.names for writing in set(map(compact, names))]
        assert len(kind.names) > 2, kind.name
        assert len(writings) == len(set(writings)), kind.name
