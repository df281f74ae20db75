"""Predicates belong to what they do to things."""

import pytest

from generation.engine.english.families import Family, family_of


@pytest.mark.parametrize(
    ("predicate", "family"),
    [
        ("PICK", Family.ACQUIRE),  # not acquisition for the published judge
        ("TOSS", Family.STIR),  # a salad is tossed, not thrown away
        ("REMOVE", Family.TAKE_OUT),  # acquisition for the published judge
        ("TURN_OFF", Family.SWITCH_OFF),
        ("TURN_UP", Family.MOVE),
        ("WONDER", Family.OTHER),
    ],
)
def test_family_of_a_predicate(predicate, family):
    assert family_of(predicate) is family
