"""Look up of things by kind: what a thing is, and what else it could be mistaken for."""

from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

from generation.engine.english.forms import is_plural
from generation.engine.english.surface import as_words
from generation.engine.english.words import Noun, compact
from generation.engine.rewriting.lexicon.domains import Domain, words_of_domain
from generation.engine.word_lists import load_words


@dataclass(frozen=True, slots=True)
class KindLists:
    """What `kinds.toml` holds: names of kinds.

    Things of `ambient` kinds a place has anyway: nobody gets them before they are used. Kinds of
    `food` are stirred, cut, heated and washed alike, in the order in which they are offered; what
    is `fluid` is worked on where it is. Only what is soft can be `beaten`. `packaging` is named by
    what it holds. Nobody takes an action on `unconfused` ones for another: they are no things, or
    bodies. Nothing is taken for an `unmistaken` thing beside one of its words: all that comes from
    a tap is water.
    """

    ambient: frozenset[str]
    packaging: frozenset[str]
    food: tuple[str, ...]
    fluid: frozenset[str]
    beaten: frozenset[str]
    unconfused: frozenset[str]
    unmistaken: dict[str, tuple[str, ...]]


KINDS = load_words(Path(__file__).with_name("kinds.toml"), KindLists)

SYNONYM_SEPARATOR, FAMILY_SEPARATOR = "=", "@"


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of thing; `names` has one tuple per thing, all its names, the usual one first.

    `offered` are the usual names of those things that may be put in another's place.
    """

    name: str
    is_mass: bool
    names: tuple[tuple[str, ...], ...]
    offered: tuple[str, ...]

    def noun(self, words: str) -> Noun:
        """A thing of this kind as a noun."""
        return Noun(words, is_mass=self.is_mass, is_plural_only=is_plural(words))


@dataclass(frozen=True, slots=True)
class Match:
    """What a head was recognised as.

    `thing` is the usual name, `before` the words of the head that are no part of it
    ("chopped" of `chopped_tomato`).
    """

    kind: Kind
    thing: str
    before: str


@cache
def kinds_of(domain: Domain) -> tuple[Kind, ...]:
    """The kinds of a domain, the general ones after its own."""
    words = words_of_domain(domain)
    kinds = []
    for is_mass, table in ((False, words.things), (True, words.substances)):
        for name, listing in table.items():
            names = tuple(
                tuple(part.strip() for part in item.strip("()").split(SYNONYM_SEPARATOR))
                for item in listing
            )
            pairs = zip(names, listing, strict=True)
            offered = tuple(synonyms[0] for synonyms, item in pairs if item[0] != "(")
            kinds.append(Kind(name, is_mass, names, offered))
    return (*kinds, *(() if domain is Domain.GENERAL else kinds_of(Domain.GENERAL)))


@cache
def _index(domain: Domain) -> dict[str, tuple[Kind, str]]:
    index: dict[str, tuple[Kind, str]] = {}
    for kind in kinds_of(domain):
        for names in kind.names if FAMILY_SEPARATOR not in kind.name else ():
            for name in names:
                index.setdefault(compact(name), (kind, names[0]))
    return index


@lru_cache(maxsize=20_000)
def recognise(head: str, domain: Domain) -> Match | None:
    """The kind of a thing by the longest end of its head that is known.

    >>> found = recognise("chopped_tomatoes", Domain.KITCHEN)
    >>> found.kind.name, found.thing, found.before
    ('vegetable', 'tomato', 'chopped')
    """
    words = as_words(head).split()
    index = _index(domain)
    for start in range(len(words)):
        known = index.get(compact("".join(words[start:])))
        if known is not None:
            return Match(known[0], known[1], " ".join(words[:start]))
    return None


@lru_cache(maxsize=20_000)
def is_of_domain(head: str, domain: Domain) -> bool:
    """Whether the domain's own list knows the thing, not just the general one."""
    match = recognise(head, domain)
    return match is not None and match.kind not in kinds_of(Domain.GENERAL)


@lru_cache(maxsize=20_000)
def same_kind(head: str, domain: Domain, family: str = "") -> tuple[Noun, ...]:
    """What is offered in place of a thing, as nouns; none where the thing is unknown.

    `family` is what is done with it: clean water is mistaken for other things than water added.
    """
    match = recognise(head, domain)
    if match is None:
        return ()
    special = match.kind.name + FAMILY_SEPARATOR + family
    kind = next((kind for kind in kinds_of(domain) if kind.name == special), match.kind)
    return tuple(
        match.kind.noun(name.format(as_words(head))) for name in kind.offered if name != match.thing
    )
