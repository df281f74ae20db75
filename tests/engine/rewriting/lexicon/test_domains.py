"""Procedures fall into the domains of the word lists, or into none of them."""

import pytest

from generation.engine.rewriting.lexicon.domains import Domain, domain_of


@pytest.mark.parametrize(
    ("scenario", "texts", "domain"),
    [
        ("Making Coffee latte", ["pour the coffee into cup"], Domain.KITCHEN),
        ("Clean and Lubricate the Chain", ["Get a cloth"], Domain.BICYCLE),
        ("Fix a flat tyre", ["Lift the wheel onto the bench"], Domain.BICYCLE),
        ("Covid-19 Rapid Antigen Test", ["Get the test vial"], Domain.LABORATORY),
        ("Measure the pH of a sample", ["Put on the safety glasses"], Domain.LABORATORY),
        ("First Aid - CPR", ["call for help"], Domain.FIRST_AID),
        ("Change a printer cartridge", ["Open the front cover"], Domain.GENERAL),
        ("", ["Stir the soup in the pot", "Add salt to the pot"], Domain.KITCHEN),
        ("", [], Domain.GENERAL),
    ],
)
def test_domain_of_a_procedure(scenario, texts, domain):
    assert domain_of(scenario, texts) is domain
