"""Qualities lean to a severity, and entries for several kinds are read for each of them."""

import pytest

from generation.engine.rewriting.lexicon.domains import Domain
from generation.engine.rewriting.lexicon.kinds import kinds_of
from generation.engine.rewriting.lexicon.qualities import (
    is_for_placing,
    is_for_solids,
    qualities,
    severity_weight,
)


@pytest.mark.parametrize("slight", ["damp", "crookedly on", "three"])
@pytest.mark.parametrize("gross", ["rotten", "beside", "a handful"])
def test_slight_mistakes_are_of_low_severity_and_gross_ones_of_high(slight, gross):
    assert severity_weight(slight, "low") > severity_weight(gross, "low")
    assert severity_weight(slight, "medium") == severity_weight(gross, "medium")
    assert severity_weight(slight, "high") < severity_weight(gross, "high")


def test_entry_for_several_kinds_is_read_for_each():
    assert qualities().relations["in dish"] == qualities().relations["in vial"]
    assert qualities().added["dish"] == qualities().added["tray"]


def test_relations_for_solids_and_for_placing_are_recognised():
    assert is_for_solids("only halfway into")
    assert not is_for_solids("beside")
    assert is_for_placing("upside down in")
    assert not is_for_placing("next to")


def test_every_quality_is_for_an_existing_kind():
    known = {kind.name for domain in Domain for kind in kinds_of(domain)}

    assert set(qualities().added) - known <= {"tray"}
