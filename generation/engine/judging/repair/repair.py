"""What a deterministic repair is, and how the repairs are found."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from annotation.engine.modules import offered
from generation.engine.judging.case import Case
from generation.engine.judging.findings import Finding
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
    return tuple(offered("generation.engine.judging.repair.kinds", "REPAIR").values())


@cache
def repairs_of(code: str) -> tuple[Repair, ...]:
    return tuple(repair for repair in all_repairs() if code in repair.codes)
