"""What takes an action back: the clause that undoes it, as far as it can be undone."""

from dataclasses import dataclass
from pathlib import Path

from generation.engine.english.actions import family_of_text
from generation.engine.english.families import Family
from generation.engine.english.forms import is_plural
from generation.engine.english.instructions import (
    NO_PLACES,
    SaidPhrase,
    as_known,
    clause_of,
    gerund_of,
    whole_of,
)
from generation.engine.english.surface import as_head
from generation.engine.rewriting.lexicon.domains import Domain
from generation.engine.rewriting.lexicon.kinds import recognise
from generation.engine.word_lists import load_words

_OUT_OF = {"into": "out of", "in": "out of", "inside": "out of", "to": "out of"}
_OFF = {"onto": "off", "on": "off", "over": "off"}


_BESIDE = frozenset(
    {"beside", "next to", "under", "behind", "at", "between", "underneath", "in front of"}
)
_TAKING, _POURING, _WIPING = "take", "pour", "wipe"
_SETTING_ASIDE = frozenset({Family.CUT, Family.HEAT})


@dataclass(frozen=True, slots=True)
class Undoing:
    """What `lexicon/undoing.toml` holds.

    `verbs` are those whose families do not say what takes them back; of these `by_place` say where
    from, if they said where to. `kinds_removed_by` has the kinds that are poured or scooped out of
    where they are; other things are taken.
    """

    verbs: dict[str, str]
    families: dict[Family, str]
    by_place: frozenset[str]
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
    if family in {Family.INFLATE, Family.DEFLATE} and thing.rpartition(" ")[2] == "air":
        targets = [item.words for item in clause.phrases if item.preposition in _OUT_OF]
        if not targets or family is Family.DEFLATE:
            return "stop " + gerund_of(text)
        return f"let the air out of {whole_of(targets[0])}"
    if clause.verb == "fill":
        contents = [whole_of(item.words) for item in clause.phrases if item.preposition == "with"]
        verb = _removing_verb(contents[0], domain) if contents else _POURING
        return f"empty {thing}" if verb == _POURING else f"{verb} {contents[0]} out of {thing}"
    if known is not None and (clause.verb not in _UNDOING.by_place or not clause.phrases):
        return known.format(object=thing)
    if family in _UNDOING.families:
        return _UNDOING.families[family].format(object=thing)
    if family in {Family.ADD, Family.PLACE} and clause.phrases:
        return _taken_back(thing, clause.phrases, domain)
    if family is Family.TAKE_OUT:
        return f"put {thing} back"
    if family in _SETTING_ASIDE:
        return f"set {thing} aside"
    return "stop " + gerund_of(text)


def _taken_back(thing: str, phrases: tuple[SaidPhrase, ...], domain: Domain) -> str:
    verb = _removing_verb(thing, domain)
    for phrase in phrases:
        words = as_known(phrase.words) if phrase.words else ""
        if words.startswith("the every "):
            words = words.removeprefix("the ")
        preposition = phrase.preposition
        if not words or NO_PLACES.search(words):
            continue
        if preposition in _OUT_OF and verb == _POURING and _removing_verb(words, domain) != _TAKING:
            return f"pour {words} with {thing} away"
        if preposition in _OUT_OF:
            return f"{verb} {thing} {_OUT_OF[preposition]} {words}"
        if preposition in _OFF:
            return f"{_WIPING if verb == _POURING else verb} {thing} {_OFF[preposition]} {words}"
        if preposition in _BESIDE:
            return f"wipe up {thing}" if verb != _TAKING else f"pick {thing} up again"
    if verb == _TAKING:
        return f"take {thing} away again"
    return f"pour {thing} away" if verb == _POURING else f"{verb} {thing} out again"


def set_aside(thing: str, domain: Domain) -> str:
    """The clause that gets rid of a thing in hand: fluids are poured away."""
    if _removing_verb(thing, domain) == _POURING:
        return f"pour {thing} away"
    return f"put {thing} aside"


def _removing_verb(thing: str, domain: Domain) -> str:
    """How something is taken out of where it is: poured, scooped or taken."""
    match = recognise(as_head(thing.partition(" of ")[2] or thing.removeprefix("the ")), domain)
    kind = "" if match is None else match.kind.name
    return next(
        (verb for verb, kinds in _UNDOING.kinds_removed_by.items() if kind in kinds), _TAKING
    )
