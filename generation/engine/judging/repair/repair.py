"""What a deterministic repair is, and how the repairs are found."""

import importlib
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from generation.engine.judging.case import Case
from generation.engine.judging.findings import Finding
from generation.engine.judging.repair import kinds
from generation.engine.rewriting.rewrite import Rewrite


@dataclass(frozen=True, slots=True)
class Repair:
    """One kind of repair: a module of `kinds` offers one as `REPAIR`.

    `propose` returns the smallest change that should remove a finding with one of the `codes`, or
    None where it has none to offer. Whether the change helps is for the loop to find out.
    """

    name: str
    codes: frozenset[str]
    propose: Callable[[Case, Finding], Rewrite | None]


@cache
def all_repairs() -> tuple[Repair, ...]:
    """Return every repair of the package, by name."""
    names = sorted(info.name for info in pkgutil.iter_modules(kinds.__path__))
    modules = [importlib.import_module(f"{kinds.__name__}.{name}") for name in names]
    return tuple(module.REPAIR for module in modules)


@cache
def repairs_of(code: str) -> tuple[Repair, ...]:
    """Return the repairs that have something to offer for a code."""
    return tuple(repair for repair in all_repairs() if code in repair.codes)
