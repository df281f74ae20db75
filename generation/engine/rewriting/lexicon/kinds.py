"""Look up things by kind: what a thing is, and what else it could be mistaken for."""

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

    `packaging` is named by its contents; `unconfused` are bodies, or no things.
    """

    packaging: frozenset[str]
    unconfused: frozenset[str]


KINDS = load_words(Path(__file__).with_name("kinds.toml"), KindLists)

SYNONYM_SEPARATOR = "="


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of thing; `names` has one tuple per thing, all its names, the usual one first.

    `offered` are the usual names of those things that may replace another.
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
    """The listed thing that a head names.

    `thing` is the usual name, `before` the words of the head before it ("chopped" of
    `chopped_tomato`).
    """

    kind: Kind
    thing: str
    before: str


@cache
def kinds_of(domain: Domain) -> tuple[Kind, ...]:
    """The kinds of a domain, then the general kinds."""
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
        for names in kind.names:
            for name in names:
                index.setdefault(compact(name), (kind, names[0]))
    return index


@lru_cache(maxsize=20_000)
def recognise(head: str, domain: Domain) -> Match | None:
    """The kind of a thing by the longest end of its head that is listed.

    >>> match = recognise("chopped_tomatoes", Domain.KITCHEN)
    >>> match.kind.name, match.thing, match.before
    ('vegetable', 'tomato', 'chopped')
    """
    words = as_words(head).split()
    index = _index(domain)
    for start in range(len(words)):
        entry = index.get(compact("".join(words[start:])))
        if entry is not None:
            return Match(*entry, " ".join(words[:start]))
    return None


@lru_cache(maxsize=20_000)
def is_of_domain(head: str, domain: Domain) -> bool:
    """Whether the thing is on the domain's own list, not just on the general list."""
    match = recognise(head, domain)
    return match is not None and match.kind not in kinds_of(Domain.GENERAL)
