"""How acts go wrong whatever they are done to, by classes of acts."""

from dataclasses import dataclass
from enum import StrEnum
from functools import cache, lru_cache
from pathlib import Path

from generation.engine.word_lists import load_words


class Trait(StrEnum):
    """What a class of acts does to its object; `mishaps.toml` explains each."""

    JOINS = "joins"
    PLACES = "places"
    ADDS = "adds"
    POURS = "pours"
    HOLDS = "holds"
    PARTS = "parts"


@dataclass(frozen=True, slots=True)
class Acts:
    """One class of acts, as `mishaps.toml` has it."""

    verbs: frozenset[str]
    manners: tuple[str, ...]
    traits: frozenset[Trait]


@dataclass(frozen=True, slots=True)
class Mishaps:
    """What `mishaps.toml` holds.

    `undone` is what takes back an act just done, `alike` are acts that are taken for each other.
    `reversed` (acts) and `opposites` (qualities and directions) hold pairs, `sides` one way alone.
    """

    acts: dict[str, Acts]
    reversed: frozenset[str]
    opposites: frozenset[str]
    undone: dict[str, str]
    alike: dict[str, tuple[str, ...]]
    sides: dict[str, str]


@cache
def reversed_acts() -> dict[str, str]:
    return _both_ways(mishaps().reversed)


@cache
def other_sides() -> dict[str, str]:
    return {**_both_ways(mishaps().opposites), **mishaps().sides}


def _both_ways(pairs: frozenset[str]) -> dict[str, str]:
    split = [pair.split("=") for pair in pairs]
    return {**dict(split), **{second: first for first, second in split}}


_WEAK_PARTICLES = frozenset({"", "up", "together", "through"})
NO_ACTS = Acts(frozenset(), (), frozenset())


@cache
def mishaps() -> Mishaps:
    """Raises `WordListError` if the file is wrong."""
    return load_words(Path(__file__).with_name("mishaps.toml"), Mishaps)


@cache
def _class_by_verb() -> dict[str, str]:
    return {verb: name for name, acts in mishaps().acts.items() for verb in acts.verbs}


@lru_cache(maxsize=20_000)
def class_of(verb: str, prepositions: tuple[str, ...] = ()) -> str:
    """The class of an act by its verb (`put_on`) and the prepositions after it; empty if none.

    >>> class_of("brush", ("on",)), class_of("brush"), class_of("sing")
    ('spread', 'clean', '')
    """
    by_verb = _class_by_verb()
    names = [verb, *(f"{verb}+{preposition}" for preposition in prepositions)]
    bare, _, particle = verb.partition("_")
    # "Wipe up" is to wipe, "turn on" is not to turn.
    names = [*names[1:], verb, *([bare] if particle in _WEAK_PARTICLES else [])]
    return next((by_verb[name] for name in names if name in by_verb), "")


def acts_of(verb: str, prepositions: tuple[str, ...] = ()) -> Acts:
    """The class itself; one without anything if the act is of no class."""
    return mishaps().acts.get(class_of(verb, prepositions), NO_ACTS)
