"""What the planner needs from a step's representation, computed from its tree."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate

from generation.engine.semrep.lexicon import LEXICON, QUANTITY_WORDS
from generation.engine.semrep.roles import (
    RELATION_ROLES,
    RELATION_WORDS,
    ROLES_WITHOUT_ENTITIES,
    Role,
)
from generation.engine.semrep.tree import Argument, SemRep, Term, Value, parts_of

LOWER_CASE_TOKEN = re.compile(r"\b[a-z][a-z_]*\b")
_PARENTHESES = re.compile(r"[()]")


@dataclass(frozen=True, slots=True)
class ComplexityCounts:
    """The five counts from which a step's complexity is computed."""

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

    `role_to_value` has the first clause's roles as the plan file stores them; the entities are
    those of all clauses of the step, by the role of their outermost argument.
    """

    predicate: str
    role_to_value: dict[str, str]
    object_head: str | None
    entity_heads_by_role: dict[str, tuple[str, ...]]
    complexity: float


def features(tree: SemRep) -> SemRepFeatures:
    """What the planner uses of a representation, from its tree.

    >>> from generation.engine.semrep.parser import parse
    >>> found = features(parse("GET(Agent: you, Object: lid(of(jar)), Origin: from(shelf))").tree)
    >>> found.object_head, found.entity_heads_by_role, found.complexity
    ('lid', {'Object': ('lid', 'jar'), 'Origin': ('shelf',)}, 13.0)
    """
    heads: dict[str, list[str]] = {}
    clauses = [argument for clause in tree.clauses for argument in clause.arguments]
    for argument in (*clauses, *tree.trailing):
        if argument.role is not None and _may_name_things(argument):
            known = heads.setdefault(argument.role, [])
            known.extend(head for head in iter_entity_heads(argument.value) if head not in known)
    return SemRepFeatures(
        predicate=tree.predicate,
        role_to_value={str(it.role): str(it.value) for it in tree.arguments if it.role is not None},
        object_head=next(iter(heads_of_role(tree, Role.OBJECT)), None),
        entity_heads_by_role={role: tuple(names) for role, names in heads.items() if names},
        complexity=count_complexity(tree).complexity,
    )


def count_complexity(tree: SemRep) -> ComplexityCounts:
    """The counts behind the complexity of a representation, from its tree.

    They equal the published counting of characters for every string with balanced parentheses (see
    `published_counts`) but, unlike that, do not depend on spacing.
    """
    terms = tuple(tree.terms())
    named = tuple(tree.named_arguments())
    related = [parts_of(argument.value) for argument in named if argument.role in RELATION_ROLES]
    words = [term.word for term in terms if not term.is_predicate]
    return ComplexityCounts(
        predicates=sum(term.is_clause for term in terms),
        roles=len(named),
        depth=nesting(str(tree)),
        relations=sum(term.word in RELATION_WORDS for term in terms)
        + sum(parts[0].is_clause for parts in related if parts),
        tokens=len({token for word in words for token in LOWER_CASE_TOKEN.findall(word)}),
    )


def nesting(text: str) -> int:
    """How many parentheses are open at most."""
    steps = (1 if sign == "(" else -1 for sign in _PARENTHESES.findall(text))
    return max(accumulate(steps, initial=0))


def iter_entity_heads(value: Value) -> Iterator[str]:
    """Yield the things that a value names, outermost first: `in(lid(of(jar)))` is lid and jar.

    Prepositions, pronouns, quantities and qualifiers (`cut(carrots)`) are skipped, but not their
    arguments; roles and predicates are never things.
    """
    for term in parts_of(value):
        is_function = (
            term.is_preposition or term.word in LEXICON.pronouns or term.word in QUANTITY_WORDS
        )
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
