"""Read `PREDICATE(Role: value, ...)` into a tree.

    text      := value ("," argument)*
    value     := element (joiner element)*
    joiner    := "&" | ";" | "AND" | "OR" | "THEN" | white space
    element   := word group* | "(" arguments ")" | "[" arguments "]"
    group     := "(" arguments ")"
    arguments := (argument ("," argument)*)?
    argument  := role ":" value | value

37 of the 1,301 published strings have a parenthesis too few or too many. The reader closes what is
left open at the end, passes over what closes nothing, and says so in a warning.
"""

import re
from dataclasses import dataclass, field
from typing import NamedTuple

from generation.engine.semrep.exceptions import SemRepError
from generation.engine.semrep.tree import (
    Argument,
    Bracket,
    Joint,
    Parentheses,
    SemRep,
    Term,
    Value,
    parts_of,
)

TOKEN = re.compile(r"\s*([()\[\],:&;]|[^\s()\[\],:&;]+)")
SIGNS = frozenset("()[],:&;")
JOINING_SIGNS = frozenset("&;")
JOINING_WORDS = frozenset({"AND", "OR", "THEN"})
CLOSING = {"(": ")", "[": "]"}

# The deepest published string nests 7 deep; the limit only keeps hostile input off the stack.
MAX_DEPTH = 60


class ParseResult(NamedTuple):
    """The tree, and one sentence for everything that had to be mended to get it."""

    tree: SemRep
    warnings: tuple[str, ...]


def parse(text: str) -> ParseResult:
    """The tree of a semantic representation and what had to be mended to read it.

    `str(result.tree)` is the text itself where it is balanced and has one blank after each comma
    and colon, as every published one has.

    Raises `SemRepError` where there is no predicate at all, or nesting beyond `MAX_DEPTH`.

    >>> tree, warnings = parse("GET(Agent: you, Object: cup, Origin: from(shelf))")
    >>> tree.predicate, str(tree.argument("Origin")), warnings
    ('GET', 'from(shelf)', ())
    """
    stripped = text.strip()
    reader = _Reader(stripped, list(TOKEN.finditer(stripped)))
    tree = reader.read_semrep()
    first = next(iter(parts_of(tree.root)), None)
    if first is None or not first.is_predicate:
        raise SemRepError(text, "does not start with a predicate in upper case")
    if not tree.clauses[0].groups:
        reader.warn(f"predicate {tree.predicate} has no parentheses")
    return ParseResult(tree, tuple(reader.warnings))


@dataclass
class _Reader:
    """Recursive descent over the tokens, signs and words; `position` is that of the next one."""

    text: str
    tokens: list[re.Match[str]]
    position: int = 0
    depth: int = 0
    warnings: list[str] = field(default_factory=list)
    missing_closings: int = 0

    def warn(self, message: str) -> None:
        self.warnings.append(f"{message} in {self.text!r}")

    def peek(self, ahead: int = 0) -> str | None:
        index = self.position + ahead
        return self.tokens[index][1] if index < len(self.tokens) else None

    def read_semrep(self) -> SemRep:
        if not self.tokens:
            raise SemRepError(self.text, "is empty")
        root = self.read_value()
        trailing: list[Argument] = []
        while self.position < len(self.tokens):
            token = self.tokens[self.position]
            self.position += 1
            if token[1] != "," or not self._starts_element():
                self.warn(f"{token[1]!r} at character {token.start(1) + 1} belongs to nothing")
            if self._starts_element():
                trailing.append(self._read_argument())
        if self.missing_closings:
            self.warn(f"{self.missing_closings} closing parenthesis missing at the end")
        return SemRep(root, tuple(trailing))

    def read_value(self) -> Value:
        parts = [self.read_element()]
        joiners: list[str] = []
        while (joiner := self._read_joiner()) is not None:
            joiners.append(joiner)
            parts.append(self.read_element())
        return Joint(tuple(parts), tuple(joiners)) if joiners else parts[0]

    def read_element(self) -> Value:
        opening = self.peek()
        if opening in CLOSING:
            group = self._read_group()
            return Bracket(group.arguments, is_list=opening == "[")
        if opening is None or opening in SIGNS:
            where = "the end" if opening is None else f"{opening!r}"
            self.warn(f"a value is missing before {where}")
            return Term("")
        self.position += 1
        groups = []
        while self.peek() == "(":
            groups.append(self._read_group())
        return Term(opening, tuple(groups))

    def _read_group(self) -> Parentheses:
        closing = CLOSING[self.tokens[self.position][1]]
        self.position += 1
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise SemRepError(self.text, f"nests deeper than {MAX_DEPTH}")
        arguments: list[Argument] = []
        if self.peek() != closing:
            arguments.append(self._read_argument())
            while self.peek() == ",":
                self.position += 1
                arguments.append(self._read_argument())
        self.depth -= 1
        padding = ""
        if self.peek() == closing:
            last, sign = self.tokens[self.position - 1 : self.position + 1]
            padding = self.text[last.end(1) : sign.start(1)]
            self.position += 1
        else:
            self.missing_closings += 1
        return Parentheses(tuple(arguments), padding)

    def _read_argument(self) -> Argument:
        word = self.peek()
        if word is not None and word not in SIGNS and self.peek(1) == ":":
            self.position += 2
            return Argument(word, self.read_value())
        return Argument(None, self.read_value())

    def _read_joiner(self) -> str | None:
        """Pass what joins the next element to the last one and return it as it stands."""
        sign = self.peek()
        if sign is None:
            return None
        start = self.tokens[self.position - 1].end(1) if self.position else 0
        if sign in JOINING_SIGNS or (sign in JOINING_WORDS and self._starts_element(1)):
            self.position += 1
        elif not self._starts_element():
            return None
        following = (
            self.tokens[self.position].start(1) if self.peek() is not None else len(self.text)
        )
        return self.text[start:following]

    def _starts_element(self, ahead: int = 0) -> bool:
        token = self.peek(ahead)
        return token is not None and (token not in SIGNS or token in CLOSING)
