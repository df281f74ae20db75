"""The roles that representations name: how often each predicate does, and which are unknown."""

from collections import Counter
from collections.abc import Iterable, Iterator

from generation.engine.semrep.roles import ROLE_IMPACT
from generation.engine.semrep.tree import SemRep, Term, parts_of


def count_roles(trees: Iterable[SemRep]) -> dict[str, dict[str, int]]:
    """How often each predicate names each role, counted as the published table counts them.

    Every mention of a role counts for the nearest predicate around it: in
    `GET(Object: cup(Location: on(shelf)))` both Object and Location count for GET. Predicates that
    name no role, as WHILE does, do not occur in the result.
    """
    counts: dict[str, Counter[str]] = {}
    for tree in trees:
        for term in tree.terms():
            if term.is_clause:
                counts.setdefault(term.word, Counter()).update(_own_roles(term))
    return {predicate: dict(found) for predicate, found in counts.items() if found}


def _own_roles(term: Term) -> Iterator[str]:
    """Yield the roles inside a term down to, and not into, the clauses that it takes."""
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
