"""What the planner asks of a step's representation, computed from its tree."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from generation.engine.semrep.lexicon import PRONOUNS, QUANTITY_WORDS
from generation.engine.semrep.roles import (
    RELATION_ROLES,
    RELATION_WORDS,
    ROLES_WITHOUT_ENTITIES,
    Role,
)
from generation.engine.semrep.tree import Argument, Bracket, Joint, SemRep, Term, Value, parts_of

LOWER_CASE_TOKEN = re.compile(r"\b[a-z][a-z_]*\b")


@dataclass(frozen=True, slots=True)
class ComplexityCounts:
    """The five counts of which a step's complexity is made."""

    predicates: int
    roles: int
    depth: int
    relations: int
    tokens: int

    @property
    def complexity(self) -> float:
        """1 per predicate, role and relation, 2 per level of depth, a half per distinct token."""
        whole = self.predicates + self.roles + self.relations + 2.0 * self.depth
        return round(whole + 0.5 * self.tokens, 3)


@dataclass(frozen=True, slots=True)
class SemRepFeatures:
    """The planner's view of one representation.

    `roles_present` is sorted and, with `role_to_value` and `object_value`, holds the first
    clause's own roles as the plan file stores them; the entities are those of all clauses of the
    step, by the role of the outermost argument that they stand in.
    """

    predicate: str
    roles_present: tuple[str, ...]
    role_to_value: dict[str, str]
    object_value: str | None
    object_head: str | None
    entity_heads_by_role: dict[str, tuple[str, ...]]
    counts: ComplexityCounts

    @property
    def complexity(self) -> float:
        return self.counts.complexity

    @property
    def entities(self) -> frozenset[str]:
        """The things that the step names in any role."""
        return frozenset(head for heads in self.entity_heads_by_role.values() for head in heads)


def features(tree: SemRep) -> SemRepFeatures:
    """What the planner uses of a representation, from its tree.

    >>> from generation.engine.semrep.parser import parse
    >>> found = features(parse("GET(Agent: you, Object: lid(of(jar)), Origin: from(shelf))").tree)
    >>> found.object_head, found.entity_heads_by_role, found.complexity
    ('lid', {'Object': ('lid', 'jar'), 'Origin': ('shelf',)}, 13.0)
    """
    named = [item for item in tree.arguments if item.role is not None]
    role_to_value = {str(item.role): str(item.value) for item in named}
    object_text = role_to_value.get("Object")
    object_tree = tree.argument("Object")
    heads: dict[str, list[str]] = {}
    clauses = [argument for clause in tree.clauses for argument in clause.arguments]
    for argument in (*clauses, *tree.trailing):
        if argument.role is not None and _may_name_things(argument):
            found = heads.setdefault(argument.role, [])
            found.extend(head for head in iter_entity_heads(argument.value) if head not in found)
    return SemRepFeatures(
        predicate=tree.predicate,
        roles_present=tuple(sorted(role_to_value)),
        role_to_value=role_to_value,
        object_value=None if object_text is None else object_text.split("(")[0].strip(),
        object_head=None if object_tree is None else next(iter_entity_heads(object_tree), None),
        entity_heads_by_role={role: tuple(found) for role, found in heads.items() if found},
        counts=count_complexity(tree),
    )


def count_complexity(tree: SemRep) -> ComplexityCounts:
    """The counts behind the complexity of a representation, from its tree.

    They equal the published counting of characters for every string without mended parentheses
    (see `published_counts`), and, unlike that, do not change with how the text is spaced.
    """
    tally = _Tally()
    tally.add_value(tree.root, depth=0)
    for argument in tree.trailing:
        tally.add_argument(argument, depth=0)
    return ComplexityCounts(
        predicates=tally.predicates,
        roles=tally.roles,
        depth=tally.deepest,
        relations=tally.relations,
        tokens=len(tally.tokens),
    )


@dataclass(slots=True)
class _Tally:
    """The counts of a tree while it is walked once; `depth` is the number of open parentheses."""

    predicates: int = 0
    roles: int = 0
    deepest: int = 0
    relations: int = 0
    tokens: set[str] = field(default_factory=set)

    def add_value(self, value: Value, depth: int) -> None:
        if isinstance(value, Joint):
            for part in value.parts:
                self.add_value(part, depth)
            return
        is_closed = not value.is_list if isinstance(value, Bracket) else bool(value.groups)
        if isinstance(value, Term):
            if value.is_predicate:
                self.predicates += is_closed
                self.relations += value.word in RELATION_WORDS
            else:
                self.tokens.update(LOWER_CASE_TOKEN.findall(value.word))
        self.deepest = max(self.deepest, depth + is_closed)
        for argument in value.arguments:
            self.add_argument(argument, depth + is_closed)

    def add_argument(self, argument: Argument, depth: int) -> None:
        if argument.role is not None:
            self.roles += 1
            first = next(iter(parts_of(argument.value)), None)
            opens_clause = first is not None and first.is_clause
            self.relations += opens_clause and argument.role in RELATION_ROLES
        self.add_value(argument.value, depth)


def iter_entity_heads(value: Value) -> Iterator[str]:
    """Yield the things that a value names, outermost first: `in(lid(of(jar)))` is lid and jar.

    Prepositions, pronouns, quantities and what only qualifies (`cut(carrots)`) are looked through;
    roles and predicates are never things.
    """
    for term in parts_of(value):
        is_function = term.is_preposition or term.word in PRONOUNS or term.word in QUANTITY_WORDS
        arguments = term.arguments
        bare = [argument.value for argument in arguments if argument.role is None]
        is_plain = all(inner.is_preposition for value in bare for inner in parts_of(value))
        if term.word and is_plain and not term.is_predicate and not is_function:
            yield term.word
        for argument in arguments:
            if _may_name_things(argument):
                yield from iter_entity_heads(argument.value)


def _may_name_things(argument: Argument) -> bool:
    if argument.role == Role.TEMPORAL:
        # `Temporal: briefly` is an adverb; `Temporal: UNTIL(tea(...))` and `after(meal)` are not.
        return not isinstance(argument.value, Term) or bool(argument.value.groups)
    return argument.role not in ROLES_WITHOUT_ENTITIES


def heads_of_role(tree: SemRep, role: str) -> tuple[str, ...]:
    """The things named in one role of the tree's first clause."""
    value = tree.argument(role)
    return () if value is None else tuple(iter_entity_heads(value))
