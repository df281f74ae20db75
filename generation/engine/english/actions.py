"""The actions of a step, read from its text: one per clause, with the things in its roles.

The original's and a writer's texts are read by the same rules, so that a thing has the same name in
both. Things are keyed by `words.compact`.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from generation.engine.english.analyser import tree_of_text
from generation.engine.english.families import Family, family_of
from generation.engine.english.surface import BEFORE_WORD
from generation.engine.english.tokens import CACHED_TEXTS
from generation.engine.english.words import words_of
from generation.engine.semrep import Role
from generation.engine.semrep.features import iter_entity_heads
from generation.engine.semrep.tree import Argument, Term, parts_of
from generation.engine.word_lists import word_set

# After these words follows what was not done.
_NOT_DONE = re.compile(rf"{BEFORE_WORD}(?:instead of|rather than)\b[^,;.]*", re.IGNORECASE)
# Words that say how often or why; the analyser would read them as part of the thing before them.
_ASIDES = re.compile(
    rf"{BEFORE_WORD}(?:again|once more|by (?:mistake|accident)|accidentally|mistakenly|instead)\b",
    re.IGNORECASE,
)
_BUT = re.compile(r"(?:[,;]|(?<!\s))\s+but\s+", re.IGNORECASE)
# Words that introduce another thing of the same name.
FRESH_WORDS = word_set(
    "another second third extra additional other different spare replacement wrong"
)
# They also do if something is got; elsewhere they belong to a name ("the new inner tube").
NEW_WORDS = word_set("new fresh more again")
_NEGATION = "NOT"
_PLACE_ROLES = (Role.DESTINATION, Role.COOBJECT)
_NO_THINGS = frozenset({None, Role.AGENT, Role.MANNER, Role.DEGREE, Role.DURATION})
_INSIDE = frozenset({"in", "into", "inside", "within"})
# "Take the lid off the pot" and "take the plant out of its pot" remove something; unlike "take the
# cup from the shelf" they do not acquire it.
_OFF = frozenset({"off", "out_of"})
_UPON = frozenset({"on", "onto", "upon"})


@dataclass(frozen=True, slots=True)
class Place:
    """A stated place; `is_inside` is True for "in", False for "on", None otherwise."""

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
        """The things that have to be at hand for the action."""
        return self.objects[:1] + self.instruments[:1]


@dataclass(frozen=True, slots=True)
class StepActions:
    """The actions of a text, and whether it is about another thing of the same name.

    `is_fresh`: it surely is; `is_new`: it is if it is about getting something.
    """

    actions: tuple[Action, ...]
    is_fresh: bool
    is_new: bool


@lru_cache(maxsize=CACHED_TEXTS)
def actions_of(text: str) -> StepActions:
    """The actions of a step; none if the text is not an instruction.

    >>> action = actions_of("Pour the milk from the jug into a cup").actions[0]
    >>> action.predicate, action.objects, action.destination.head, action.origin.head
    ('POUR', ('milk',), 'cup', 'jug')
    """
    tree = tree_of_text(_BUT.sub(". ", _ASIDES.sub("", _NOT_DONE.sub("", text))).strip())
    words = set(words_of(text))
    is_fresh, is_new = bool(words & FRESH_WORDS), bool(words & NEW_WORDS)
    clauses = () if tree is None else tree.clauses
    actions = tuple(_action(term) for term in clauses if term.word != _NEGATION)
    if _BUT.search(text):
        # `Get a bowl, but grab a plate` gets a plate: with "but", only the last thing is really
        # got.
        acquiring = [a for a in actions if a.family is Family.ACQUIRE and a.objects]
        actions = tuple(action for action in actions if action not in acquiring[:-1])
    return StepActions(actions, is_fresh, is_new)


def family_of_text(text: str) -> Family:
    tree = tree_of_text(text)
    return Family.OTHER if tree is None else family_of(tree.predicate)


def heads_of(text: str) -> frozenset[str]:
    """The things that a step names, in any of its actions."""
    return frozenset(head for action in actions_of(text).actions for head in action.mentioned)


def _action(term: Term) -> Action:
    family = family_of(term.word)
    origins = [item.value for item in term.arguments if item.role == Role.ORIGIN]
    if family is Family.ACQUIRE and origins and parts_of(origins[0])[0].word in _OFF:
        family = Family.TAKE_OUT
    # `STIR(Object: noodles(Location: in(pot)))` says where the noodles are.
    objects = [item.value for item in term.arguments if item.role == Role.OBJECT]
    nested = [item for value in objects for part in parts_of(value) for item in part.arguments]
    direction = [str(item.value) for item in term.arguments if item.role == Role.DIRECTION]
    return Action(
        predicate=term.word,
        family=family,
        objects=tuple(_heads(term, Role.OBJECT)),
        instruments=tuple(_heads(term, Role.INSTRUMENT)),
        destination=_first_place(term.arguments, *_PLACE_ROLES),
        location=_first_place(term.arguments, Role.LOCATION) or _first_place(nested, Role.LOCATION),
        origin=_first_place(term.arguments, Role.ORIGIN),
        mentioned=tuple(
            _plain(head)
            for item in term.arguments
            if item.role not in _NO_THINGS
            for head in iter_entity_heads(item.value)
        ),
        is_back="back" in direction or term.word in {"PUT_BACK", "RETURN"},
    )


def _heads(term: Term, role: str) -> Iterator[str]:
    for argument in term.arguments:
        if argument.role == role:
            for part in parts_of(argument.value):
                yield from map(_plain, iter_entity_heads(part))


def _first_place(arguments: Sequence[Argument], *roles: str) -> Place | None:
    values = [item.value for role in roles for item in arguments if item.role == role]
    head = next(iter_entity_heads(values[0]), None) if values else None
    if head is None:
        return None
    word = parts_of(values[0])[0].word
    is_inside = True if word in _INSIDE else False if word in _UPON else None
    return Place(_plain(head), is_inside)


def _plain(head: str) -> str:
    """The head without "another", which the step's `is_fresh` already says."""
    return head.removeprefix("another_").removeprefix("other_")
