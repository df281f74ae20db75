"""The role priors of a profile: how often each predicate names each role in a corpus."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from generation.engine.planner.profile import Profile
from generation.engine.semrep import SemRep, SemRepError, estimate_role_priors, parse

RoleShares = Mapping[str, Mapping[str, float]]


def role_priors_of(semreps: Iterable[str]) -> dict[str, dict[str, float]]:
    """Return P(role | predicate) over a corpus; texts that cannot be read are left out.

    >>> role_priors_of(["GET(Agent: you, Object: cup)", "GET(Agent: you, Object: lid)"])
    {'GET': {'Agent': 0.5, 'Object': 0.5}}
    """
    priors = estimate_role_priors(_readable(semreps))
    return {
        predicate: {role: priors.share(predicate, role, default=0.0) for role in sorted(roles)}
        for predicate, roles in sorted(priors.counts.items())
    }


def with_role_priors(profile: Profile, priors: RoleShares) -> Profile:
    """Return the profile with these role priors, to be stored with the run."""
    return replace(profile, wrong_execution=replace(profile.wrong_execution, role_priors=priors))


def _readable(semreps: Iterable[str]) -> Iterator[SemRep]:
    for text in semreps:
        try:
            yield parse(text).tree
        except SemRepError:
            continue
