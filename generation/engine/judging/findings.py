"""The judge's findings: one per fault, and the rows of the published report.

Source of the report's columns: PIE-V's judge report (`take_uid, take_name, kind, code, step_index,
detail`), one row per issue that is still there at the end.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any, NamedTuple

from generation.engine.rewriting.rewrite import Rewrite

REPORT_COLUMNS = ("take_uid", "take_name", "kind", "code", "step_index", "detail")


class FindingSeverity(StrEnum):
    """Whether a fault breaks the contract with the plan, or makes the procedure implausible."""

    HARD = "hard"
    SOFT = "soft"


# The words of the published report.
_REPORT_KINDS = {FindingSeverity.HARD: "schema", FindingSeverity.SOFT: "plausibility"}


class Fault(NamedTuple):
    """What one check found; `position` is a row of the rewrite, None for the whole text.

    `event_id` is only given if it differs from the row's.
    """

    position: int | None
    detail: str
    event_id: str | None = None
    entity: str | None = None


@dataclass(frozen=True, slots=True)
class Finding:
    """A fault with the code and severity of its check."""

    code: str
    severity: FindingSeverity
    position: int | None
    detail: str
    event_id: str | None = None
    entity: str | None = None

    def to_dict(self) -> dict[str, Any]:
        return {**asdict(self), "severity": str(self.severity)}


class FindingCounts(NamedTuple):
    """How many findings of each severity; compared in this order, fewer is better."""

    hard: int
    soft: int

    @property
    def is_clean(self) -> bool:
        return self.hard == self.soft == 0


def count_findings(findings: Iterable[Finding]) -> FindingCounts:
    tally = Counter(finding.severity for finding in findings)
    return FindingCounts(tally[FindingSeverity.HARD], tally[FindingSeverity.SOFT])


def report_rows(
    take_uid: str, take_name: str, rewrite: Rewrite | None, findings: Sequence[Finding]
) -> list[dict[str, str]]:
    """The findings as rows of the published report.

    `step_index` is the step of the rewritten procedure that the finding is about, empty for a
    deleted step and for the whole text.
    """
    rows = () if rewrite is None else rewrite.rows
    kept = [position for position, row in enumerate(rows) if row.text is not None]
    shown: dict[int | None, int] = {position: index for index, position in enumerate(kept)}
    return [
        {
            "take_uid": take_uid,
            "take_name": take_name,
            "kind": _REPORT_KINDS[finding.severity],
            "code": finding.code,
            "step_index": str(shown.get(finding.position, "")),
            "detail": finding.detail,
        }
        for finding in findings
    ]
