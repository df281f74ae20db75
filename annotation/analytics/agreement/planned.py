"""What the filed protocol says of figures: which it names, and of how many answers they are.

Figures that it does not name are exploratory; those of fewer answers or raters are incomplete.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace

from annotation.analytics.agreement.comparisons import Comparison
from annotation.analytics.agreement.report import ReportRow

# Unless the filed protocol says otherwise; `AnalysisPlan` has the same.
LEAST_COVERAGE, LEAST_RATERS = 0.9, 2


@dataclass(frozen=True, slots=True)
class Planned:
    """The metrics and pairs of data sets that a filed protocol names, and what figures take.

    `least_coverage` is the share of the planned answers, `least_raters` how many people gave them.
    """

    metrics: Collection[str]
    pairs: Collection[frozenset[str]]
    least_coverage: float = LEAST_COVERAGE
    least_raters: int = LEAST_RATERS


def mark_rows(rows: Iterable[ReportRow], plans: Mapping[str, Planned]) -> tuple[ReportRow, ...]:
    """The rows, exploratory where a plan of their campaign does not name their metric.

    `plans` are by the names of campaigns with a filed protocol. Pilots are never reported, so their
    rows stay unmarked. Every row says whether it is of fewer answers or raters than it takes.
    """
    return tuple(_marked(row, plans.get(row.basis.campaign)) for row in rows)


def _marked(row: ReportRow, plan: Planned | None) -> ReportRow:
    least_coverage = plan.least_coverage if plan else LEAST_COVERAGE
    least_raters = plan.least_raters if plan else LEAST_RATERS
    return replace(
        row,
        is_exploratory=(
            plan is not None and row.basis.phase == "main" and row.metric.value not in plan.metrics
        ),
        # Shares like 0.9 are not exact: 90 of 100 are enough.
        is_incomplete=row.coverage < least_coverage - 1e-9 or row.raters < least_raters,
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
