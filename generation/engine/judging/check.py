"""What a check is, and how the checks are found."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import chain

from annotation.engine.modules import offered
from generation.engine.english.words import kin
from generation.engine.judging.case import Case
from generation.engine.judging.findings import Fault, Finding, FindingSeverity

_CHECKS = "generation.engine.judging.checks"
# Of all that is wrong with a thing in a row, this comes first.
_CAUSE = "CASCADE_MISSING"


@dataclass(frozen=True, slots=True)
class Check:
    """One rule: a module of `checks` offers one as `CHECK`, or a family of them as `CHECKS`.

    `condition` says in a sentence what a finding with this code means. `needs_plan` tells that it
    asks for what a text does not claim of itself, so that it is not applied to one without a plan.
    """

    code: str
    severity: FindingSeverity
    condition: str
    find: Callable[[Case], Iterator[Fault]]
    needs_plan: bool = False


@cache
def all_checks() -> dict[str, Check]:
    """Every check of the package by its code; ValueError when two share a code."""
    families = offered(_CHECKS, "CHECKS").values()
    found: dict[str, Check] = {}
    for check in chain(offered(_CHECKS, "CHECK").values(), *families):
        if check.code in found:
            raise ValueError(f"two checks have the code {check.code}; expected one")
        found[check.code] = check
    return found


def find_all(case: Case) -> tuple[Finding, ...]:
    """The findings of every check, by position; those about the whole come first."""
    found = [
        Finding(check.code, check.severity, fault.position, fault.detail, fault.event_id,
                fault.entity)
        for check in all_checks().values()
        if not (check.needs_plan and case.take.is_claimed)
        for fault in check.find(case)
    ]  # fmt: skip
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
    return tuple(check.code for check in all_checks().values() if check.needs_plan and is_claimed)
