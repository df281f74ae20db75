"""What a check is, and how the checks are found."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, partial

from annotation.engine.modules import modules_of
from generation.engine.english.words import kin
from generation.engine.judging.case import Case
from generation.engine.judging.findings import Fault, Finding, FindingSeverity

_CHECKS = "generation.engine.judging.checks"
# Of all that is wrong with a thing in a row, this comes first.
_CAUSE = "CASCADE_MISSING"

Found = Iterator[Fault]


@dataclass(frozen=True, slots=True)
class Check:
    """One rule: a function of a module of `checks` under `hard` or `soft`, or a row of a table.

    `condition` says in a sentence what a finding with this code means. `needs_plan` tells that it
    asks for what a text does not claim of itself, so that it is not applied to one without a plan.
    """

    code: str
    severity: FindingSeverity
    condition: str
    find: Callable[[Case], Found]
    needs_plan: bool = False


def check(
    severity: FindingSeverity, condition: str, *, needs_plan: bool = False
) -> Callable[[Callable[[Case], Found]], Check]:
    """Make a check of the function below; its code is the function's name in capitals."""
    return lambda find: Check(find.__name__.upper(), severity, condition, find, needs_plan)


hard, soft = partial(check, FindingSeverity.HARD), partial(check, FindingSeverity.SOFT)


@cache
def all_checks() -> dict[str, Check]:
    """Every check of the package by its code; ValueError when two share a code.

    A module holds them by their names, or as a table `CHECKS`.
    """
    found: dict[str, Check] = {}
    for module in modules_of(_CHECKS).values():
        for item in (*vars(module).values(), *getattr(module, "CHECKS", ())):
            if not isinstance(item, Check):
                continue
            if item.code in found:
                raise ValueError(f"two checks have the code {item.code}; expected one")
            found[item.code] = item
    return dict(sorted(found.items()))


def find_all(case: Case) -> tuple[Finding, ...]:
    """The findings of every check, by position; those about the whole come first."""
    found = [
        Finding(
            item.code, item.severity, fault.position, fault.detail, fault.event_id, fault.entity
        )
        for item in all_checks().values()
        if not (item.needs_plan and case.take.is_claimed)
        for fault in item.find(case)
    ]
    # What only says again that a consequence is missing is left out: one fault, one finding.
    missing = {(f.position, kin(f.entity)) for f in found if f.code == _CAUSE and f.entity}
    kept = [
        finding
        for finding in found
        if finding.code == _CAUSE
        or finding.entity is None
        or (finding.position, kin(finding.entity.replace(" ", "_"))) not in missing
    ]
    return tuple(
        sorted(kept, key=lambda f: (-1 if f.position is None else f.position, f.code, f.detail))
    )


def checks_not_applied(*, is_claimed: bool) -> tuple[str, ...]:
    """The codes of checks that are left out where a text is judged by its own claims."""
    return tuple(item.code for item in all_checks().values() if item.needs_plan and is_claimed)
