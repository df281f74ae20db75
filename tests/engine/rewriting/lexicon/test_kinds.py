"""Things are recognised by the end of their name, each of a kind."""

import pytest

from generation.engine.english.words import compact
from generation.engine.rewriting.lexicon.domains import Domain
from generation.engine.rewriting.lexicon.kinds import kinds_of, recognise


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


def test_unknown_thing_has_no_kind():
    assert recognise("quodlibet", Domain.KITCHEN) is None


def test_thing_in_parentheses_is_known_and_never_offered():
    kind = recognise("narrow_gap", Domain.GENERAL).kind

    assert (kind.name, kind.offered) == ("gap", ())


@pytest.mark.parametrize("domain", list(Domain))
def test_no_kind_has_a_thing_twice(domain):
    for kind in kinds_of(domain):
        writings = [writing for names in kind.names for writing in set(map(compact, names))]
        assert len(writings) == len(set(writings)), kind.name
