"""Read `PREDICATE(Role: value, ...)` into a tree.

    text      := value ("," argument)*
    value     := element (joiner element)*
    joiner    := "&" | ";" | "AND" | "OR" | "THEN" | white space
    element   := word group* | "(" arguments ")" | "[" arguments "]"
    group     := "(" arguments ")"
    arguments := (argument ("," argument)*)?
    argument  := role ":" value | value

37 of the 1,301 published strings have a parenthesis too few or too many. The reader closes open
ones at the end, skips closing ones without an opening, and reports that in a warning.
"""

import re
from dataclasses import dataclass, field
from typing import NamedTuple

from generation.engine.semrep.exceptions import SemRepError
from generation.engine.semrep.tree import (
    Argument,
    Joint,
    Parentheses,
    SemRep,
    Term,
    Value,
    parts_of,
)

# The last token is empty.
TOKEN = re.compile(r"\s*([()\[\],:&;]|[^\s()\[\],:&;]+|$)")
SIGNS = frozenset({*"()[],:&;", ""})
CLOSING = {"(": ")", "[": "]"}
JOINERS = frozenset({"&", ";", "AND", "OR", "THEN"})

# The deepest published string nests 7 deep; the limit only protects the stack from hostile input.
MAX_DEPTH = 60


class ParseResult(NamedTuple):
    """The tree, and a warning for everything that had to be corrected to get it."""

    tree: SemRep
    warnings: tuple[str, ...]


def parse(text: str) -> ParseResult:
    """The tree of a semantic representation, with warnings about what had to be corrected.

    `str(result.tree)` is the text itself if it is balanced and has one space after each comma and
    colon, as every published one has.

    Raises `SemRepError` if there is no predicate at all, or nesting beyond `MAX_DEPTH`.

    >>> tree, warnings = parse("GET(Agent: you, Object: cup, Origin: from(shelf))")
    >>> tree.predicate, str(tree.argument("Origin")), warnings
    ('GET', 'from(shelf)', ())
    """
    reader = _Reader(text.strip())
    tree = reader.read_semrep()
    first = next(iter(parts_of(tree.root)), None)
    if first is None or not first.is_predicate:
        raise SemRepError(text, "does not start with a predicate in upper case")
    if not tree.clauses[0].groups:
        reader.warn(f"predicate {tree.predicate} has no parentheses")
    return ParseResult(tree, tuple(reader.warnings))


@dataclass
class _Reader:
    """Recursive descent over the tokens, signs and words; `position` is that of the next token."""

    text: str
    tokens: list[re.Match[str]] = field(init=False)
    position: int = 0
    depth: int = 0
    warnings: list[str] = field(default_factory=list)
    missing_closings: int = 0

    def __post_init__(self) -> None:
        self.tokens = list(TOKEN.finditer(self.text))

    def warn(self, message: str) -> None:
        self.warnings.append(f"{message} in {self.text!r}")

    def read_semrep(self) -> SemRep:
        if not self.text:
            raise SemRepError(self.text, "is empty")
        root = self._read_value()
        trailing: list[Argument] = []
        while self._peek():
            token = self.tokens[self.position]
            self.position += 1
            if token[1] != "," or not self._starts_element():
                self.warn(f"{token[1]!r} at character {token.start(1) + 1} belongs to nothing")
            if self._starts_element():
                trailing.append(self._read_argument())
        if self.missing_closings:
            self.warn(f"{self.missing_closings} closing parenthesis missing at the end")
        return SemRep(root, tuple(trailing))

    def _peek(self, ahead: int = 0) -> str:
        return self.tokens[self.position + ahead][1]

    def _starts_element(self, ahead: int = 0) -> bool:
        token = self._peek(ahead)
        return token not in SIGNS or token in CLOSING

    def _read_value(self) -> Value:
        parts = [self._read_element()]
        joiners: list[str] = []
        while (joiner := self._read_joiner()) is not None:
            joiners.append(joiner)
            parts.append(self._read_element())
        return Joint(tuple(parts), tuple(joiners)) if joiners else parts[0]

    def _read_element(self) -> Value:
        word = self._peek()
        if word in CLOSING:
            return self._read_group()
        if word in SIGNS:
            self.warn(f"a value is missing before {repr(word) if word else 'the end'}")
            return Term("")
        self.position += 1
        groups = []
        while self._peek() == "(":
            groups.append(self._read_group())
        return Term(word, tuple(groups))

    def _read_group(self) -> Parentheses:
        opening = self._peek()
        self.position += 1
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise SemRepError(self.text, f"nests deeper than {MAX_DEPTH}")
        arguments: list[Argument] = []
        if self._peek() != CLOSING[opening]:
            arguments.append(self._read_argument())
            while self._peek() == ",":
                self.position += 1
                arguments.append(self._read_argument())
        self.depth -= 1
        padding = ""
        if self._peek() == CLOSING[opening]:
            last, sign = self.tokens[self.position - 1 : self.position + 1]
            padding = self.text[last.end(1) : sign.start(1)]
            self.position += 1
        else:
            self.missing_closings += 1
        return Parentheses(tuple(arguments), padding, is_list=opening == "[")

    def _read_argument(self) -> Argument:
        word = self._peek()
        if word in SIGNS or self._peek(1) != ":":
            return Argument(None, self._read_value())
        self.position += 2
        return Argument(word, self._read_value())

    def _read_joiner(self) -> str | None:
        """Skip what joins the next element to the last one, and return its text."""
        start = self.tokens[self.position - 1].end(1) if self.position else 0
        sign = self._peek()
        if sign in JOINERS and (sign in SIGNS or self._starts_element(1)):
            self.position += 1
        elif not self._starts_element():
            return None
        return self.text[start : self.tokens[self.position].start(1)]
