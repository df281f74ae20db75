"""Which roles a text changed, by words and by trees."""

import pytest

from generation.engine.english.analyser import analyse
from generation.engine.judging.roles import foreign_changes, is_mutated

MILK = "Pour milk into the small cup with a spoon"


@pytest.mark.parametrize(
    ("role", "text"),
    [
        ("Object", "Pour oil into the small cup with a spoon"),
        ("Object", "Pour spoiled milk into the small cup with a spoon"),
        ("Object", "Pour milk, but pour oil too, into the small cup with a spoon"),
        ("Destination", "Pour milk into the large cup with a spoon"),
        ("Destination", "Pour milk beside the small cup with a spoon"),
        ("Instrument", "Pour milk into the small cup with a fork"),
        ("Instrument", "Pour milk into the small cup"),
        ("Manner", "Pour milk into the small cup with a spoon, but only briefly"),
    ],
)
def test_changed_role_is_seen(role, text):
    assert is_mutated(role, str(analyse(MILK)), MILK, text)


@pytest.mark.parametrize(
    ("role", "text"),
    [
        ("Object", MILK),
        ("Object", "Pour milk into the small cup with a spoon, but spill a little"),
        ("Object", "Pour milk into the jug with a fork"),
        ("Instrument", "Pour oil into the small cup with a spoon"),
        ("Destination", "Pour oil into the small cup with a fork"),
        ("Manner", MILK),
    ],
)
def test_kept_role_is_not_taken_for_changed(role, text):
    assert not is_mutated(role, str(analyse(MILK)), MILK, text)


def test_things_of_other_roles_that_are_gone_are_named():
    text = "Pour oil into the small cup with a fork"

    assert foreign_changes(("Object",), str(analyse(MILK)), MILK, text) == (
        ("Instrument", "spoon"),
    )
    assert foreign_changes(("Object", "Instrument"), str(analyse(MILK)), MILK, text) == ()
