"""The things that a step names: noun phrases in pieces, with the place of each in the text.

What only looks like a thing is left out: pronouns, times, results ("into two pieces"), several
things in one phrase, and words that cannot be nouns.
"""

import re
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import takewhile

from generation.engine.english.clauses import JOINERS, Clause, Phrase, clauses_of
from generation.engine.english.forms import (
    can_be_noun,
    is_adverb_of_manner,
    is_gerund,
    is_plural,
    singular,
)
from generation.engine.english.grammar import GRAMMAR
from generation.engine.english.instructions import NO_PLACES, PHRASE_ENDS
from generation.engine.english.tokens import CACHED_TEXTS, Token, Words, instruction_of
from generation.engine.english.words import compact, kin
from generation.engine.semrep.exceptions import SemRepError
from generation.engine.semrep.lexicon import LEXICON
from generation.engine.word_lists import word_set

TOOL_PREPOSITIONS = frozenset({"with", "using"})
SOURCE_PREPOSITIONS = frozenset({"from", "off", "out_of"})
GOAL_PREPOSITIONS = word_set("in into inside on onto to under over around against through")
_PARTICLES = word_set("on in off up down out over")
_DETERMINERS = (
    GRAMMAR.determiners | GRAMMAR.possessive_pronouns | GRAMMAR.quantifiers
    | GRAMMAR.predeterminers | {"other"}
)  # fmt: skip
_AMOUNT = re.compile(r"\d[\d/.-]*(?:-?(?:[a-z]{1,2}|inch|litre|liter))?$")
# What has no edges of its own and cannot be taken for another thing.
_NO_THINGS = (
    LEXICON.pronouns | GRAMMAR.units_of_time | GRAMMAR.units_of_length | GRAMMAR.times_of_day
    | word_set(
        "order side top bottom end place spot way time rest turn half bit lot other others one ones"
        " part parts middle center centre inside outside front edge edges size shape heat high low"
        " contents ingredients everything thing things air help use series parallel position angle"
        " rounds round pass passes step steps row stroke strokes mark marks area surface body hand"
        " hands finger fingers thumb thumbs palm palms foot feet"
    )
)  # fmt: skip
_NO_THING_ENDINGS = re.compile(r"(?:ation|ssion|ness|ility|ance|ence|ship|ment)s?$")
_HEADS_WITH_ENDINGS = word_set("station solution instrument document fragment ointment condiment")


@dataclass(frozen=True)
class NamedThing:
    """A thing as a clause names it: `before` is its determiner and amount, `words` the rest.

    `start`, `noun_start` and `end` are positions in the text; `verb` has its particle, and
    `preposition` is empty for the bare object.
    """

    verb: str
    preposition: str
    before: str
    words: str
    start: int
    noun_start: int
    end: int

    @cached_property
    def name(self) -> str:
        """The words before any "of"."""
        return re.split(r"\s+(?:of|for)\s+", self.words)[0].lower()

    @cached_property
    def head(self) -> str:
        """The last word before any "of": the pair of "pair of tweezers"."""
        return self.name.rpartition(" ")[2]

    @cached_property
    def kin(self) -> str:
        return kin(self.head)

    @cached_property
    def key(self) -> str:
        """The words in the form in which things are compared."""
        return compact(self.words)

    @cached_property
    def is_plural(self) -> bool:
        return is_plural(self.head)

    @cached_property
    def is_measured(self) -> bool:
        """Whether it is so much of something: "1/4 cup of milk", "15 mL of water"."""
        return bool(set(self.before.lower().split()) & GRAMMAR.units_of_measure) or bool(
            re.match(r"\d[\d/.]*-?[a-zA-Z]", self.before)
        )

    @cached_property
    def slot(self) -> str:
        """What it is in its clause: the object, a tool, a place, where something comes from."""
        if not self.preposition:
            return "object"
        if self.preposition in TOOL_PREPOSITIONS:
            return "tool"
        if self.preposition in SOURCE_PREPOSITIONS:
            return "source"
        return "place" if self.preposition in GOAL_PREPOSITIONS else "other"


@lru_cache(maxsize=CACHED_TEXTS)
def named_things(text: str) -> tuple[NamedThing, ...]:
    """The things of every clause of a step, in their order.

    >>> [(thing.slot, thing.before, thing.words) for thing in named_things(
    ...     "Pour 1/4 cup of milk into the blue bowl with a spoon.")]
    [('object', '1/4 cup of', 'milk'), ('place', 'the', 'blue bowl'), ('tool', 'a', 'spoon')]
    """
    things = (
        _named(text, clause, phrase, is_first=not place)
        for clause in all_clauses(text)
        for place, phrase in enumerate(clause.phrases)
    )
    return tuple(thing for thing in things if thing is not None)


def object_of(text: str) -> NamedThing | None:
    """The first thing that the step acts on."""
    return next((thing for thing in named_things(text) if thing.slot == "object"), None)


def all_clauses(text: str) -> tuple[Clause, ...]:
    """The clauses of all sentences; none if the text is no instruction."""
    try:
        return tuple(clause for sentence in clauses_of(text) for clause in sentence)
    except SemRepError:
        return ()


def _named(text: str, clause: Clause, phrase: Phrase, *, is_first: bool) -> NamedThing | None:
    words: Words = tuple(takewhile(lambda word: word not in PHRASE_ENDS, phrase.words))
    start = 0
    while start < len(words) - 1 and _says_how_much(words, start):
        start += 1
    noun = words[start:]
    if not noun or set(noun) & JOINERS or "'s" in noun or "as" in noun:
        return None
    first, last = words[0], noun[-1]
    verb, preposition = clause.predicate, phrase.preposition or ""
    if is_first and clause.particle is None and preposition in _PARTICLES:
        verb, preposition = f"{verb}_{preposition}", ""  # "Brush on a base coat."
    thing = NamedThing(
        verb=verb,
        preposition=preposition,
        before=_written(text, first.start, noun[0].start),
        words=_written(text, noun[0].start, last.end),
        start=first.start,
        noun_start=noun[0].start,
        end=last.end,
    )
    return thing if _is_thing(thing, noun) else None


def _says_how_much(words: Words, at: int) -> bool:
    word: Token = words[at]
    if word in _DETERMINERS or word in GRAMMAR.number_words or _AMOUNT.match(word):
        return True
    is_after = at > 0
    is_counted = is_after and (words[at - 1] in GRAMMAR.number_words or words[at - 1][0].isdigit())
    is_unit = word in GRAMMAR.units_of_measure and (is_counted or words[at + 1] == "of")
    return is_unit or (is_after and word == "of" and words[at - 1] != "half")


def _is_thing(thing: NamedThing, noun: Words) -> bool:
    head = thing.head
    is_name = head.isalpha() and len(head) > 1 and not {head, singular(head)} & _NO_THINGS
    is_abstract = bool(_NO_THING_ENDINGS.search(head)) and head not in _HEADS_WITH_ENDINGS
    is_listed = head in GRAMMAR.tools | GRAMMAR.containers
    is_noun = can_be_noun(head) and not (is_gerund(head) or is_adverb_of_manner(head))
    # "Little puddles straight": the head is not the last word.
    is_odd = "of" not in noun and any(is_plural(word) for word in noun[:-1])
    is_thing = is_name and (is_noun or is_listed)
    return is_thing and not (is_abstract or is_odd or NO_PLACES.search(thing.words))


def _written(text: str, start: int, end: int) -> str:
    return " ".join(instruction_of(text)[start:end].split())
