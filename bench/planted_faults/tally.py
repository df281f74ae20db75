"""Findings of whole files: counted per take and code, and sampled for somebody to label."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from generation.engine.judging.case import Case, JudgedTake
from generation.engine.judging.check import find_all
from generation.engine.judging.findings import Finding
from generation.engine.judging.reading import read_rewrite
from generation.engine.planner.plan import Plan
from generation.engine.rewriting.rewrite import Rewrite


@dataclass(frozen=True, slots=True)
class CheckedTake:
    """One take of a file of rewrites; `rewrite` is None where it cannot be read."""

    source: str
    plan: Plan
    rewrite: Rewrite | None
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class FindingId:
    """Where a finding is, without a word of the texts."""

    source: str
    take_uid: str
    position: int | None
    code: str
    event_id: str | None
    entity_index: int

    def to_dict(self) -> dict[str, Any]:
        """The id as plain JSON values."""
        return {
            "source": self.source,
            "take_uid": self.take_uid,
            "row": self.position,
            "code": self.code,
            "event_id": self.event_id,
            "nth": self.entity_index,
        }


def check_file(
    source: str, takes: Mapping[str, Any], plans: Mapping[str, Plan]
) -> Iterable[CheckedTake]:
    """Yield every take of a published file of rewrites with its findings, unrepaired.

    `takes` is the `takes` object of the file; a take without a rewrite counts as unreadable.
    """
    for take_uid, entry in takes.items():
        plan = plans[take_uid]
        reading = read_rewrite(entry.get("rewrite") or {})
        if reading.finding is not None:
            yield CheckedTake(source, plan, None, (reading.finding,))
            continue
        take = JudgedTake(plan)
        yield CheckedTake(source, plan, reading.rewrite, find_all(Case(take, reading.rewrite)))


def identified(checked: Iterable[CheckedTake]) -> dict[FindingId, tuple[CheckedTake, Finding]]:
    """Every finding by its id; findings alike in all else are numbered."""
    found: dict[FindingId, tuple[CheckedTake, Finding]] = {}
    for take in checked:
        seen: Counter[tuple[int | None, str, str | None]] = Counter()
        for finding in take.findings:
            place = (finding.position, finding.code, finding.event_id)
            name = FindingId(take.source, take.plan.take_uid, *place, seen[place])
            seen[place] += 1
            found[name] = (take, finding)
    return found
