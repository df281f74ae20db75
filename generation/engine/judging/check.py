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
Rule = Callable[[Case], Found]


@dataclass(frozen=True, slots=True)
class Check:
    """One rule: a function of a module of `checks` under `hard` or `soft`, or a row of a table.

    `condition` says in a sentence what a finding with this code means. `needs_plan` tells that it
    asks for what a text does not claim of itself, so that it is not applied to one without a plan.
    """

    code: str
    severity: FindingSeverity
    condition: str
    rule: Rule
    needs_plan: bool = False

    def find(self, case: Case) -> Iterator[Finding]:
        """Yield what the rule sees; a fault that names no event is of its row's."""
        for position, detail, event_id, entity in self.rule(case):
            if event_id is None and position is not None:
                event_id = case.rows[position].event_id
            yield Finding(self.code, self.severity, position, detail, event_id, entity)


def check(
    severity: FindingSeverity, condition: str, *, needs_plan: bool = False
) -> Callable[[Rule], Check]:
    """Make a check of the function below; its code is the function's name in capitals."""
    return lambda rule: Check(rule.__name__.upper(), severity, condition, rule, needs_plan)


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
    skipped = checks_not_applied(is_claimed=case.take.is_claimed)
    checks = (item for code, item in all_checks().items() if code not in skipped)
    found = [finding for item in checks for finding in item.find(case)]
    # What only says again that a consequence is missing is left out: one fault, one finding.
    missing = {_place_and_thing(finding) for finding in found if finding.code == _CAUSE}
    kept = [it for it in found if it.code == _CAUSE or _place_and_thing(it) not in missing]
    return tuple(
        sorted(kept, key=lambda f: (-1 if f.position is None else f.position, f.code, f.detail))
    )


def _place_and_thing(finding: Finding) -> tuple[int | None, str]:
    return finding.position, kin((finding.entity or "").replace(" ", "_"))


def checks_not_applied(*, is_claimed: bool) -> tuple[str, ...]:
    """The codes of checks that are left out where a text is judged by its own claims."""
    return tuple(item.code for item in all_checks().values() if item.needs_plan and is_claimed)
