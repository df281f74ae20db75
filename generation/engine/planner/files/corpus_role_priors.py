"""The role priors of a profile: how often each predicate names each role in a corpus."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from generation.engine.planner.checks import semrep_condition
from generation.engine.planner.profile import Profile
from generation.engine.semrep import count_roles, parse

RoleShares = Mapping[str, Mapping[str, float]]


def role_priors_of(semreps: Iterable[str]) -> dict[str, dict[str, float]]:
    """P(role | predicate) over a corpus; Agent counts too, so a share rarely exceeds 0.38.

    Texts that cannot be read are left out: readers of files refuse them, those of the corpus warn
    of them (`checks.semrep_condition`). An empty text is that of a step without a representation.

    >>> role_priors_of(["GET(Agent: you, Object: cup)", "GET(Agent: you, Object: lid)"])
    {'GET': {'Agent': 0.5, 'Object': 0.5}}
    """
    readable = (text for text in semreps if not semrep_condition(text).fault)
    counts = count_roles(parse(text).tree for text in readable)
    return {
        predicate: {role: roles[role] / sum(roles.values()) for role in sorted(roles)}
        for predicate, roles in sorted(counts.items())
    }


def with_role_priors(profile: Profile, priors: RoleShares) -> Profile:
    return replace(profile, wrong_execution=replace(profile.wrong_execution, role_priors=priors))
