"""What takes an action back: the clause that undoes it, as far as it can be undone."""

from dataclasses import dataclass
from pathlib import Path

from generation.engine.english.actions import family_of_text
from generation.engine.english.families import Family
from generation.engine.english.forms import is_plural
from generation.engine.english.instructions import (
    NO_PLACES,
    WrittenPhrase,
    as_mentioned,
    clause_of,
    gerund_of,
    whole_of,
)
from generation.engine.english.surface import as_head
from generation.engine.rewriting.lexicon.domains import Domain
from generation.engine.rewriting.lexicon.kinds import recognise
from generation.engine.word_lists import load_words

_TAKING, _POURING, _WIPING = "take", "pour", "wipe"


@dataclass(frozen=True, slots=True)
class Undoing:
    """What `lexicon/undoing.toml` holds.

    `verbs` overrides `families` for single verbs, except that a verb of `by_place` with a place is
    undone like its family. `away_from` has the preposition that undoes a preposition of place; what
    is `beside` a place is picked up or wiped up. `kinds_removed_by` has the kinds that are poured
    or scooped out of their place; other things are taken.
    """

    verbs: dict[str, str]
    families: dict[Family, str]
    by_place: frozenset[str]
    away_from: dict[str, str]
    beside: frozenset[str]
    kinds_removed_by: dict[str, frozenset[str]]


_UNDOING = load_words(Path(__file__).parent / "lexicon" / "undoing.toml", Undoing)


def undo_of(text: str, domain: Domain) -> str:
    """The clause that undoes an action, as far as it can be undone.

    >>> undo_of("Get a plate from the cabinet", Domain.KITCHEN)
    'put the plate back'
    >>> undo_of("Pour milk into the jug", Domain.KITCHEN)
    'pour the milk out of the jug'
    """
    clause, family = clause_of(text), family_of_text(text)
    if not clause.object_phrase or is_plural(clause.verb):
        return "stop " + gerund_of(text)
    thing = whole_of(clause.object_phrase)
    known = _UNDOING.verbs.get(clause.verb)
    if known is None or (clause.verb in _UNDOING.by_place and clause.phrases):
        known = _UNDOING.families.get(family)
    if thing.endswith(" air"):
        known = None  # Air cannot be gathered again.
    if known is not None:
        return known.format(object=thing)
    if family in {Family.ADD, Family.PLACE} and clause.phrases:
        return _taken_back(thing, clause.phrases, domain)
    return "stop " + gerund_of(text)


def _taken_back(thing: str, phrases: tuple[WrittenPhrase, ...], domain: Domain) -> str:
    verb = _removing_verb(thing, domain)
    for phrase in phrases:
        place = as_mentioned(phrase.words) if phrase.words else ""
        away = _UNDOING.away_from.get(phrase.preposition, "")
        if not place or NO_PLACES.search(place):
            continue
        is_mixed = away == "out of" and verb == _POURING
        if is_mixed and _removing_verb(place, domain) != _TAKING:
            return f"pour {place} with {thing} away"
        if away:
            is_wiped = away == "off" and verb == _POURING
            return f"{_WIPING if is_wiped else verb} {thing} {away} {place}"
        if phrase.preposition in _UNDOING.beside:
            return f"wipe up {thing}" if verb != _TAKING else f"pick {thing} up again"
    return f"{verb} {thing} away"


def set_aside(thing: str, domain: Domain) -> str:
    """The clause that gets rid of a thing in hand: fluids are poured away."""
    if _removing_verb(thing, domain) == _POURING:
        return f"pour {thing} away"
    return f"put {thing} aside"


def _removing_verb(thing: str, domain: Domain) -> str:
    """How something is removed from its place: poured, scooped or taken."""
    match = recognise(as_head(thing.partition(" of ")[2] or thing.removeprefix("the ")), domain)
    kind = "" if match is None else match.kind.name
    return next(
        (verb for verb, kinds in _UNDOING.kinds_removed_by.items() if kind in kinds), _TAKING
    )
