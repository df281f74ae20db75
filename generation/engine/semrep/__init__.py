"""Semantic representations of steps: reading, measuring, and making them from plain text."""

from generation.engine.semrep.exceptions import RoleResourceError, SemRepError
from generation.engine.semrep.features import ComplexityCounts, SemRepFeatures, features
from generation.engine.semrep.parser import ParseResult, parse
from generation.engine.semrep.published import published_complexity, published_features
from generation.engine.semrep.role_priors import (
    RolePriors,
    estimate_role_priors,
    read_role_impact,
    read_role_priors,
    unknown_roles,
)
from generation.engine.semrep.roles import ROLE_IMPACT, Impact, Role
from generation.engine.semrep.tree import Argument, SemRep, Term, Value

__all__ = [
    "ROLE_IMPACT",
    "Argument",
    "ComplexityCounts",
    "Impact",
    "ParseResult",
    "Role",
    "RolePriors",
    "RoleResourceError",
    "SemRep",
    "SemRepError",
    "SemRepFeatures",
    "Term",
    "Value",
    "estimate_role_priors",
    "features",
    "parse",
    "published_complexity",
    "published_features",
    "read_role_impact",
    "read_role_priors",
    "unknown_roles",
]
