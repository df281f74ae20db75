"""What a step does, read from its text: one action per clause, with the things in its roles.

Texts are read by the same rules whether they are the original's or a writer's, so that a thing has
one name in both. Things are keyed by `words.compact`.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from generation.engine.english.analyser import tree_of_text
from generation.engine.english.families import Family, family_of
from generation.engine.english.words import words_of
from generation.engine.semrep import Role
from generation.engine.semrep.features import iter_entity_heads
from generation.engine.semrep.tree import Argument, Term, Value, parts_of
from generation.engine.word_lists import word_set

CACHED_TEXTS = 65_536
# What is named after these words is what was not done.
_NOT_DONE = re.compile(r",?\s*\b(?:instead of|rather than)\b[^,;.]*", re.IGNORECASE)
# Words that say how often or why, and would else be read as part of the thing before them.
_ASIDES = re.compile(
    r",?\s*\b(?:again|once more|by (?:mistake|accident)|accidentally|mistakenly|instead)\b",
    re.IGNORECASE,
)
_BUT = re.compile(r"[,;]?\s+but\s+", re.IGNORECASE)
# Words that make the thing after them another one than before.
FRESH_WORDS = word_set("another second third extra additional other different spare replacement")
# They do so too where something is got; elsewhere they belong to its name ("the new inner tube").
NEW_WORDS = word_set("new fresh more again")
_NEGATION = "NOT"
_PLACE_ROLES = (Role.DESTINATION, Role.COOBJECT)
_INSIDE = frozenset({"in", "into", "inside", "within"})
# One takes a lid off and a plant out of its pot, and has not got it by that from anywhere.
_OFF = frozenset({"off", "out_of"})
_UPON = frozenset({"on", "onto", "upon"})


@dataclass(frozen=True, slots=True)
class Place:
    """Where something is said to be; `is_inside` is True for in, False for on, None otherwise."""

    head: str
    is_inside: bool | None


@dataclass(frozen=True, slots=True)
class Action:
    """One clause: what is done, to what, with what and where. Heads are outermost first."""

    predicate: str
    family: Family
    objects: tuple[str, ...]
    instruments: tuple[str, ...]
    destination: Place | None
    location: Place | None
    origin: Place | None
    mentioned: tuple[str, ...]
    is_back: bool

    @property
    def used(self) -> tuple[str, ...]:
        """The things that have to be at hand."""
        return self.objects[:1] + self.instruments[:1]


@dataclass(frozen=True, slots=True)
class StepActions:
    """The actions of a text, and whether it speaks of another thing of the same name.

    `is_new` is the weaker claim: it does so if it is about getting something.
    """

    actions: tuple[Action, ...]
    is_fresh: bool
    is_new: bool


@lru_cache(maxsize=CACHED_TEXTS)
def actions_of(text: str) -> StepActions:
    """Return what a step does; no action where the text is no instruction.

    >>> action = actions_of("Pour the milk from the jug into a cup").actions[0]
    >>> action.predicate, action.objects, action.destination.head, action.origin.head
    ('POUR', ('milk',), 'cup', 'jug')
    """
    tree = tree_of_text(_BUT.sub(". ", _ASIDES.sub("", _NOT_DONE.sub("", text))).strip())
    words = set(words_of(text))
    is_fresh, is_new = bool(words & FRESH_WORDS), bool(words & NEW_WORDS)
    clauses = () if tree is None else tree.clauses
    actions = tuple(_action(term) for term in clauses if term.word != _NEGATION)
    return StepActions(_done(actions) if _BUT.search(text) else actions, is_fresh, is_new)


def family_of_text(text: str) -> Family:
    """Return what the action of a text does."""
    tree = tree_of_text(text)
    return Family.OTHER if tree is None else family_of(tree.predicate)


def _done(actions: tuple[Action, ...]) -> tuple[Action, ...]:
    """`Get a bowl, but grab a plate` gets a plate: of the things got before a but, the last."""
    got = [a for a in actions if a.family is Family.ACQUIRE and a.objects]
    return tuple(action for action in actions if action not in got[:-1])


def _action(term: Term) -> Action:
    objects = tuple(_heads(term, Role.OBJECT))
    family = family_of(term.word)
    if family is Family.ACQUIRE and _origin_word(term) in _OFF:
        family = Family.TAKE_OUT
    direction = [str(item.value) for item in term.arguments if item.role == Role.DIRECTION]
    return Action(
        predicate=term.word,
        family=family,
        objects=objects,
        instruments=tuple(_heads(term, Role.INSTRUMENT)),
        destination=_first_place(term, _PLACE_ROLES),
        location=_first_place(term, (Role.LOCATION,)) or _place_of_object(term),
        origin=_first_place(term, (Role.ORIGIN,)),
        mentioned=tuple(_all_heads(term)),
        is_back="back" in direction or term.word in {"PUT_BACK", "RETURN"},
    )


def _origin_word(term: Term) -> str | None:
    for argument in term.arguments:
        if argument.role == Role.ORIGIN:
            return next(iter(parts_of(argument.value))).word
    return None


def _heads(term: Term, role: str) -> Iterator[str]:
    for argument in term.arguments:
        if argument.role == role:
            for part in parts_of(argument.value):
                yield from map(_plain, iter_entity_heads(part))


def _all_heads(term: Term) -> Iterator[str]:
    for argument in term.arguments:
        if argument.role not in {None, Role.AGENT, Role.MANNER, Role.DEGREE, Role.DURATION}:
            yield from map(_plain, iter_entity_heads(argument.value))


def _first_place(term: Term, roles: tuple[str, ...]) -> Place | None:
    for role in roles:
        for argument in term.arguments:
            if argument.role == role:
                return _place(argument.value)
    return None


def _place_of_object(term: Term) -> Place | None:
    """`STIR(Object: noodles(Location: in(pot)))` says where the noodles are."""
    nested: list[Argument] = []
    for argument in term.arguments:
        if argument.role == Role.OBJECT:
            nested += [item for part in parts_of(argument.value) for item in part.arguments]
    return next((_place(item.value) for item in nested if item.role == Role.LOCATION), None)


def _place(value: Value) -> Place | None:
    head = next(iter_entity_heads(value), None)
    if head is None:
        return None
    word = next(iter(parts_of(value))).word
    is_inside = True if word in _INSIDE else False if word in _UPON else None
    return Place(_plain(head), is_inside)


def _plain(head: str) -> str:
    """`another_napkin` is a napkin; that it is another one, the step says (`is_fresh`)."""
    return head.removeprefix("another_").removeprefix("other_")
