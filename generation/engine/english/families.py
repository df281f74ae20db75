"""What an action does to the things of a scene: families of predicates.

The families are those of the published judge, with the verbs that it left out of acquisition and
without those that it misread: one tosses a salad and keeps it.
"""

from enum import StrEnum
from pathlib import Path

from generation.engine.word_lists import load_words


class Family(StrEnum):
    """What an action does to its object."""

    ACQUIRE = "acquire"
    RELEASE = "release"
    PLACE = "place"
    ADD = "add"
    TAKE_OUT = "take_out"
    CUT = "cut"
    STIR = "stir"
    CLEAN = "clean"
    OPEN = "open"
    CLOSE = "close"
    SWITCH_ON = "switch_on"
    SWITCH_OFF = "switch_off"
    TIGHTEN = "tighten"
    LOOSEN = "loosen"
    INFLATE = "inflate"
    DEFLATE = "deflate"
    DISPOSE = "dispose"
    LOOK = "look"
    WAIT = "wait"
    MOVE = "move"
    PRESS = "press"
    HEAT = "heat"
    SPILL = "spill"
    DROP = "drop"
    OTHER = "other"


_FAMILY_BY_PREDICATE = {
    predicate: family
    for family, predicates in load_words(
        Path(__file__).with_name("families.toml"), dict[Family, frozenset[str]]
    ).items()
    for predicate in predicates
}
# An action of these puts its object where its Destination (or Location) says.
PUTTING = frozenset({Family.ADD, Family.PLACE, Family.RELEASE})
# An action of these works on its object at its Location and leaves it there.
WORKING = frozenset({Family.CUT, Family.STIR, Family.HEAT})


def family_of(predicate: str) -> Family:
    """The family of a predicate; an unknown one is of its first word's family, or its last one's.

    >>> family_of("CUT_THROUGH"), family_of("PAN_FRY"), family_of("SING")
    (<Family.CUT: 'cut'>, <Family.HEAT: 'heat'>, <Family.OTHER: 'other'>)
    """
    said = (predicate, predicate.partition("_")[0], predicate.rpartition("_")[2])
    known = (_FAMILY_BY_PREDICATE[words] for words in said if words in _FAMILY_BY_PREDICATE)
    return next(known, Family.OTHER)
