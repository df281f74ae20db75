"""What a check is, and how checks are found."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, partial

from annotation.engine.modules import modules_of
from generation.engine.english.words import kin
from generation.engine.judging.case import Case
from generation.engine.judging.findings import Fault, Finding, FindingSeverity

_CHECKS = "generation.engine.judging.checks"
# This finding about a thing in a row explains all others about it.
_CAUSE = "CASCADE_MISSING"

Faults = Iterator[Fault]
Rule = Callable[[Case], Faults]


@dataclass(frozen=True, slots=True)
class Check:
    """One rule: a function of a module of `checks` under `hard` or `soft`, or a row of a table.

    `condition` says in a sentence what a finding with this code means. `needs_plan`: it compares
    the text with something that only a plan says, so it is not applied to texts without a plan.
    """

    code: str
    severity: FindingSeverity
    condition: str
    rule: Rule
    needs_plan: bool = False

    def find(self, case: Case) -> Iterator[Finding]:
        """Yield the rule's findings; a fault without an event belongs to the event of its row."""
        for position, detail, event_id, entity in self.rule(case):
            if event_id is None and position is not None:
                event_id = case.rows[position].event_id
            yield Finding(self.code, self.severity, position, detail, event_id, entity)


def check(
    severity: FindingSeverity, condition: str, *, needs_plan: bool = False
) -> Callable[[Rule], Check]:
    """A decorator that makes a check of a function; the code is its name in capitals."""
    return lambda rule: Check(rule.__name__.upper(), severity, condition, rule, needs_plan)


hard, soft = partial(check, FindingSeverity.HARD), partial(check, FindingSeverity.SOFT)


@cache
def all_checks() -> dict[str, Check]:
    """Every check of the package by its code; raises ValueError if two have the same code.

    A module has them under their names, or in a table `CHECKS`.
    """
    checks: dict[str, Check] = {}
    for module in modules_of(_CHECKS).values():
        for item in (*vars(module).values(), *getattr(module, "CHECKS", ())):
            if not isinstance(item, Check):
                continue
            if item.code in checks:
                raise ValueError(f"two checks have the code {item.code}; expected one")
            checks[item.code] = item
    return dict(sorted(checks.items()))


def find_all(case: Case) -> tuple[Finding, ...]:
    """The findings of every check, by position; those about the whole text come first."""
    skipped = checks_not_applied(is_claimed=case.take.is_claimed)
    checks = (item for code, item in all_checks().items() if code not in skipped)
    findings = [finding for item in checks for finding in item.find(case)]
    # If a consequence is missing, other findings about the same thing are left out: one fault, one
    # finding.
    missing = {_place_and_thing(finding) for finding in findings if finding.code == _CAUSE}
    kept = [it for it in findings if it.code == _CAUSE or _place_and_thing(it) not in missing]
    return tuple(
        sorted(kept, key=lambda f: (-1 if f.position is None else f.position, f.code, f.detail))
    )


def _place_and_thing(finding: Finding) -> tuple[int | None, str]:
    return finding.position, kin((finding.entity or "").replace(" ", "_"))


def sense_checks() -> dict[str, str]:
    """The codes and conditions of the checks of sense, which are applied to every text."""
    module = f"{_CHECKS}.sense"
    checks = all_checks().items()
    return {code: it.condition for code, it in checks if it.rule.__module__ == module}


def checks_not_applied(*, is_claimed: bool) -> tuple[str, ...]:
    """The codes of checks that are skipped if a text is judged by its own claims."""
    return tuple(item.code for item in all_checks().values() if item.needs_plan and is_claimed)
