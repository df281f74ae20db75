"""What a deterministic repair is, and how repairs are found."""

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
    None if it has none. The loop finds out whether the change helps.
    """

    name: str
    codes: frozenset[str]
    propose: Proposing


def repair(*codes: str) -> Callable[[Proposing], Repair]:
    """A decorator that makes a repair of a function, under its name."""
    return lambda propose: Repair(propose.__name__, frozenset(codes), propose)


@cache
def all_repairs() -> tuple[Repair, ...]:
    """Every repair of the package, by name."""
    modules = modules_of(_KINDS).values()
    repairs = (it for module in modules for it in vars(module).values() if isinstance(it, Repair))
    return tuple(sorted(repairs, key=lambda it: it.name))


@cache
def repairs_of(code: str) -> tuple[Repair, ...]:
    return tuple(it for it in all_repairs() if code in it.codes)
