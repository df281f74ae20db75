"""What an action does to the things of a scene: families of predicates.

The families are those of the published judge, plus verbs of acquisition that it lacked, and without
verbs that it misread: tossing a salad does not dispose of it.
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
# Actions of these families put their object at their Destination (or Location).
PUTTING = frozenset({Family.ADD, Family.PLACE, Family.RELEASE})
# Actions of these families work on their object at their Location and leave it there.
WORKING = frozenset({Family.CUT, Family.STIR, Family.HEAT})


def family_of(predicate: str) -> Family:
    """The family of a predicate; if it is unknown, that of its first or else its last word.

    >>> family_of("CUT_THROUGH"), family_of("PAN_FRY"), family_of("SING")
    (<Family.CUT: 'cut'>, <Family.HEAT: 'heat'>, <Family.OTHER: 'other'>)
    """
    names = (predicate, predicate.partition("_")[0], predicate.rpartition("_")[2])
    families = (_FAMILY_BY_PREDICATE[name] for name in names if name in _FAMILY_BY_PREDICATE)
    return next(families, Family.OTHER)
