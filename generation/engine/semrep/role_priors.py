"""How often each predicate names each role.

The published share of a role is its mentions divided by all role mentions of the predicate, Agent
included, so a share rarely passes 0.38.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from generation.engine.semrep.roles import ROLE_IMPACT
from generation.engine.semrep.tree import SemRep, Term, parts_of


@dataclass(frozen=True, slots=True)
class RolePriors:
    """Counts of role mentions by predicate.

    `counts[predicate][role]` is how often clauses of the predicate name the role.
    """

    counts: dict[str, dict[str, int]]

    def total(self, predicate: str) -> int:
        """How many roles the clauses of a predicate name, 0 for an unknown predicate."""
        return sum(self.counts.get(predicate, {}).values())

    def share(self, predicate: str, role: str, *, default: float) -> float:
        """The share of the predicate's role mentions that are `role`.

        `default` stands for a pair that the corpus does not have.

        >>> RolePriors({"GET": {"Agent": 2, "Object": 2}}).share("GET", "Object", default=0.05)
        0.5
        """
        count = self.counts.get(predicate, {}).get(role)
        return default if count is None else count / self.total(predicate)


def estimate_role_priors(trees: Iterable[SemRep]) -> RolePriors:
    """The priors of a corpus, counted as the published table counts them.

    Every mention of a role counts for the nearest predicate around it: in
    `GET(Object: cup(Location: on(shelf)))` both Object and Location count for GET. Predicates that
    name no role, as WHILE does, do not occur in the result.
    """
    counts: dict[str, Counter[str]] = {}
    for tree in trees:
        for term in tree.terms():
            if term.is_clause:
                counts.setdefault(term.word, Counter()).update(_own_roles(term))
    return RolePriors({predicate: dict(found) for predicate, found in counts.items() if found})


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
    named = (argument.role for argument in tree.all_arguments() if argument.role is not None)
    return tuple(dict.fromkeys(role for role in named if role not in ROLE_IMPACT))
