"""Semantic representations of steps: reading and measuring them."""

from generation.engine.semrep.exceptions import SemRepError
from generation.engine.semrep.features import features
from generation.engine.semrep.parser import parse
from generation.engine.semrep.role_counts import count_roles, unknown_roles
from generation.engine.semrep.roles import ROLE_IMPACT, Impact, Role
from generation.engine.semrep.tree import Argument, SemRep, Term

__all__ = [
    "ROLE_IMPACT", "Argument", "Impact", "Role", "SemRep", "SemRepError", "Term", "count_roles",
    "features", "parse", "unknown_roles",
]  # fmt: skip
