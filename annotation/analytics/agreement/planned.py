"""Which figures the protocol filed before the main round names; all others are exploratory."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace

from annotation.analytics.agreement.comparisons import Comparison
from annotation.analytics.agreement.report import ReportRow


@dataclass(frozen=True, slots=True)
class Planned:
    """The metrics and pairs of data sets that a filed protocol names."""

    metrics: Collection[str]
    pairs: Collection[frozenset[str]]


def mark_rows(rows: Iterable[ReportRow], plans: Mapping[str, Planned]) -> tuple[ReportRow, ...]:
    """The rows, exploratory where a plan of their campaign does not name their metric.

    `plans` are by the names of campaigns with a filed protocol. Pilots are never reported, so their
    rows stay unmarked.
    """
    return tuple(
        replace(row, is_exploratory=True)
        if row.basis.phase == "main"
        and row.basis.campaign in plans
        and row.metric.value not in plans[row.basis.campaign].metrics
        else row
        for row in rows
    )


def mark_comparisons(
    comparisons: Iterable[Comparison], plan: Planned | None
) -> tuple[Comparison, ...]:
    """The differences, exploratory where a filed plan does not name their metric or their pair."""
    return tuple(
        replace(item, is_exploratory=True)
        if plan is not None
        and (
            item.metric.value not in plan.metrics
            or (not item.dataset and frozenset((item.first, item.second)) not in plan.pairs)
        )
        else item
        for item in comparisons
    )
