"""Semantic representations of steps: reading, measuring, and making them from plain text."""

from generation.engine.semrep.exceptions import SemRepError
from generation.engine.semrep.features import ComplexityCounts, SemRepFeatures, features
from generation.engine.semrep.parser import ParseResult, parse
from generation.engine.semrep.role_priors import (
    RolePriors,
    estimate_role_priors,
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
    "SemRep",
    "SemRepError",
    "SemRepFeatures",
    "Term",
    "Value",
    "estimate_role_priors",
    "features",
    "parse",
    "unknown_roles",
]
