"""The tree of a semantic representation, and its printed form.

A representation is a value; a value is one of

    Term         a word with what it takes: `cup`, `in(pan)`, `cup(Location: on(shelf))`, `GET(...)`
    Joint        several values side by side: `salt & oil`, `GET(...); OPEN(...)`
    Parentheses  several in brackets of their own: `(USE(...) & DAMAGE(...))`, `[STOP(...), ...]`

What a term is shows in its word: upper case is a predicate, a preposition is a relation to what it
takes, anything else names a thing or a quality. `str(tree)` prints a tree as it was read.
Source of the grammar: the published cache of representations (PIE-V, supplement).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from generation.engine.semrep.lexicon import PREPOSITIONS

# "A" is the article, never a predicate; every published predicate has two letters or more.
PREDICATE_WORD = re.compile(r"(?=..)[A-Z][A-Z0-9]*(?:[_-][A-Z0-9]+)*")


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument of a term: `Role: value`, or only a value where `role` is None."""

    role: str | None
    value: Value

    def __str__(self) -> str:
        return str(self.value) if self.role is None else f"{self.role}: {self.value}"


@dataclass(frozen=True, slots=True)
class Parentheses:
    """The arguments between one pair of parentheses, or of square brackets (`is_list`).

    `padding` is the white space before the closing one; some published strings have it.
    """

    arguments: tuple[Argument, ...]
    padding: str = ""
    is_list: bool = False

    def __str__(self) -> str:
        inner = ", ".join(map(str, self.arguments)) + self.padding
        return f"[{inner}]" if self.is_list else f"({inner})"


@dataclass(frozen=True, slots=True)
class Term:
    """A word and what it takes.

    `groups` has one entry per pair of parentheses: none for a bare word, two for
    `cut(carrots)(Origin: from(board))`.
    """

    word: str
    groups: tuple[Parentheses, ...] = ()

    def __str__(self) -> str:
        return self.word + "".join(map(str, self.groups))

    @property
    def arguments(self) -> tuple[Argument, ...]:
        # Nearly every term has one group or none, and this is asked of all, again and again.
        if len(self.groups) < 2:
            return self.groups[0].arguments if self.groups else ()
        return tuple(argument for group in self.groups for argument in group.arguments)

    @property
    def is_predicate(self) -> bool:
        return is_predicate_word(self.word)

    @property
    def is_clause(self) -> bool:
        return self.is_predicate and bool(self.groups)

    @property
    def is_preposition(self) -> bool:
        return self.word in PREPOSITIONS


@dataclass(frozen=True, slots=True)
class Joint:
    """Values side by side; `joiners[i]` is the text between `parts[i]` and `parts[i + 1]`."""

    parts: tuple[Value, ...]
    joiners: tuple[str, ...]

    def __str__(self) -> str:
        pairs = zip(self.joiners, self.parts[1:], strict=True)
        return str(self.parts[0]) + "".join(f"{joiner}{part}" for joiner, part in pairs)


Value = Term | Joint | Parentheses


@dataclass(frozen=True, slots=True)
class SemRep:
    """A whole representation: one clause, or several.

    `root` is what stands before the first comma at the top, `trailing` what stands after it: the
    published cache has `STOP(...), FIX(...)` and `TURN(...), RESULT: DECREASE(...)`.
    """

    root: Value
    trailing: tuple[Argument, ...] = ()

    def __str__(self) -> str:
        return ", ".join(map(str, (self.root, *self.trailing)))

    @property
    def clauses(self) -> tuple[Term, ...]:
        """The clauses side by side at the top; the first is the action of the step."""
        beside = tuple(item.value for item in self.trailing if item.role is None)
        terms = (term for value in (self.root, *beside) for term in parts_of(value))
        return tuple(term for term in terms if term.is_predicate)

    @property
    def predicate(self) -> str:
        return self.clauses[0].word

    @property
    def arguments(self) -> tuple[Argument, ...]:
        """The arguments of the first clause, and those that trail after the clauses."""
        named = tuple(item for item in self.trailing if item.role is not None)
        return self.clauses[0].arguments + named

    def argument(self, role: str) -> Value | None:
        return next((item.value for item in self.arguments if item.role == role), None)

    def terms(self) -> Iterator[Term]:
        """Yield every term, each before what it takes, left to right."""
        return walk_terms(self._whole)

    def named_arguments(self) -> Iterator[Argument]:
        """Yield every argument with a role, at any depth, left to right."""
        return (argument for argument in walk_arguments(self._whole) if argument.role is not None)

    @property
    def _whole(self) -> Parentheses:
        return Parentheses((Argument(None, self.root), *self.trailing))


@lru_cache(maxsize=10_000)
def is_predicate_word(word: str) -> bool:
    """Whether the word is written as a predicate: `GET`, `TURN_ON`, `RE-POUR`."""
    return PREDICATE_WORD.fullmatch(word) is not None


def parts_of(value: Value) -> tuple[Term, ...]:
    """The terms that stand side by side in `value`; a bracket is looked into."""
    if isinstance(value, Joint):
        return tuple(inner for part in value.parts for inner in parts_of(part))
    if isinstance(value, Parentheses):
        return tuple(inner for item in value.arguments for inner in parts_of(item.value))
    return (value,)


def walk_terms(value: Value) -> Iterator[Term]:
    """Yield every term of the tree, each before what it takes, left to right."""
    for part in parts_of(value):
        yield part
        for argument in part.arguments:
            yield from walk_terms(argument.value)


def walk_arguments(value: Value) -> Iterator[Argument]:
    """Yield every argument of the tree, with and without a role, left to right."""
    if isinstance(value, Joint):
        for part in value.parts:
            yield from walk_arguments(part)
        return
    for argument in value.arguments:
        yield argument
        yield from walk_arguments(argument.value)
