"""How often each predicate takes each role, estimated from a corpus of representations.

The share of a role is over all role mentions of the predicate, Agent included, as in the published
table (`semantic_roles_by_predicate.csv`); a role mention belongs to the innermost clause around it.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace

from generation.engine.planner.profile import Profile
from generation.engine.semrep import SemRepError, parse
from generation.engine.semrep.tree import Term, Value, parts_of

RolePriors = Mapping[str, Mapping[str, float]]


def role_priors_of(semreps: Iterable[str]) -> dict[str, dict[str, float]]:
    """Return P(role | predicate) over a corpus; texts that cannot be read are left out.

    >>> role_priors_of(["GET(Agent: you, Object: cup)", "GET(Agent: you, Object: lid)"])
    {'GET': {'Agent': 0.5, 'Object': 0.5}}
    """
    counts: dict[str, Counter[str]] = {}
    for text in semreps:
        try:
            tree = parse(text).tree
        except SemRepError:
            continue
        _count(tree.root, None, counts)
        for argument in tree.trailing:
            if argument.role is not None:
                counts.setdefault(tree.predicate, Counter())[argument.role] += 1
            _count(argument.value, tree.predicate, counts)
    return {
        predicate: {role: count / roles.total() for role, count in sorted(roles.items())}
        for predicate, roles in sorted(counts.items())
    }


def with_role_priors(profile: Profile, priors: RolePriors) -> Profile:
    """Return the profile with these role priors, to be stored with the run."""
    return replace(profile, wrong_execution=replace(profile.wrong_execution, role_priors=priors))


def _count(value: Value, clause: str | None, counts: dict[str, Counter[str]]) -> None:
    for part in parts_of(value):
        _count_term(part, clause, counts)


def _count_term(term: Term, clause: str | None, counts: dict[str, Counter[str]]) -> None:
    inner = term.word if term.is_clause else clause
    for argument in term.arguments:
        if argument.role is not None and inner is not None:
            counts.setdefault(inner, Counter())[argument.role] += 1
        _count(argument.value, inner, counts)
