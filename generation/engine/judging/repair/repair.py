"""What a deterministic repair is, and how the repairs are found."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from annotation.engine.modules import modules_of
from generation.engine.judging.case import Case
from generation.engine.judging.findings import Finding
from generation.engine.rewriting.rewrite import Rewrite

_KINDS = "generation.engine.judging.repair.kinds"

Proposing = Callable[[Case, Finding], Rewrite | None]


@dataclass(frozen=True, slots=True)
class Repair:
    """One kind of repair, a function of a module of `kinds` under `repair`, with its name.

    `propose` returns the smallest change that should remove a finding with one of the `codes`, or
    None where it has none to offer. Whether the change helps is for the loop to find out.
    """

    name: str
    codes: frozenset[str]
    propose: Proposing


def repair(*codes: str) -> Callable[[Proposing], Repair]:
    """Make a repair of the function below, with its name."""
    return lambda propose: Repair(propose.__name__, frozenset(codes), propose)


@cache
def all_repairs() -> tuple[Repair, ...]:
    """Every repair of the package, by name."""
    modules = modules_of(_KINDS).values()
    found = (it for module in modules for it in vars(module).values() if isinstance(it, Repair))
    return tuple(sorted(found, key=lambda it: it.name))


@cache
def repairs_of(code: str) -> tuple[Repair, ...]:
    return tuple(it for it in all_repairs() if code in it.codes)
