"""The roles in representations: how often each predicate has them, and which are unknown."""

from collections import Counter
from collections.abc import Iterable, Iterator

from generation.engine.semrep.roles import ROLE_IMPACT
from generation.engine.semrep.tree import SemRep, Term, parts_of


def count_roles(trees: Iterable[SemRep]) -> dict[str, dict[str, int]]:
    """How often each predicate has each role, counted as in the published table.

    Every role counts for the nearest predicate around it: in
    `GET(Object: cup(Location: on(shelf)))` both Object and Location count for GET. Predicates
    without roles, such as WHILE, are not in the result.
    """
    counts: dict[str, Counter[str]] = {}
    for tree in trees:
        for term in tree.terms():
            if term.is_clause:
                counts.setdefault(term.word, Counter()).update(_own_roles(term))
    return {predicate: dict(by_role) for predicate, by_role in counts.items() if by_role}


def _own_roles(term: Term) -> Iterator[str]:
    """Yield the roles inside a term, but not those inside clauses in it."""
    for argument in term.arguments:
        if argument.role is not None:
            yield argument.role
        for inner in parts_of(argument.value):
            if not inner.is_clause:
                yield from _own_roles(inner)


def unknown_roles(tree: SemRep) -> tuple[str, ...]:
    """The roles of a representation that are not among the published ones, in order."""
    named = dict.fromkeys(str(argument.role) for argument in tree.named_arguments())
    return tuple(role for role in named if role not in ROLE_IMPACT)
