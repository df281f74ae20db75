"""The agreement report: one row per dataset and metric, for the page, the command and the CSV."""

import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from annotation.analytics.aggregates import AggregateKind, aggregate_ratings
from annotation.analytics.agreement import (
    NO_PAIRS,
    krippendorff_alpha,
)
from annotation.analytics.metric_ratings import MetricRatings
from annotation.analytics.resampling import Interval, alpha_interval
from annotation.engine.csv_cells import safe_cell
from annotation.engine.rubric import Level, Metric, Scope

RESAMPLES = 1000
NOT_COMPUTED = "not asked for"

Cell = str | int | float | None


@dataclass(frozen=True, slots=True)
class ReportRow:
    """What the raters of one dataset said on one metric, and how far they agreed.

    `units` counts the events (or traces) to rate, `paired_units` those with two or more ratings,
    which alone enter alpha. Of the `ratings`, `implied` were filled in by a skip rule and
    `left_out` could not enter the aggregate (an answer without its confidence). `aggregate` is in
    the unit that `aggregate_kind` names; `aggregate_event_mean` counts each event once.
    `unjudged` counts answers that raters could not give, with a reason: no ratings, none missing.
    `reason` says why alpha or the aggregate is None and is empty when neither is.
    """

    dataset: str
    metric: Metric
    level: Level
    alpha: float | None
    interval: Interval
    units: int
    paired_units: int
    raters: int
    ratings: int
    missing: int
    implied: int
    left_out: int
    aggregate: float | None
    aggregate_kind: AggregateKind
    aggregate_label: str
    aggregate_text: str
    aggregate_event_mean: float | None
    reason: str
    unjudged: int = 0

    def to_stored(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_stored(cls, stored: Mapping[str, Any]) -> "ReportRow":
        return cls(
            **{
                **stored,
                "metric": Metric(stored["metric"]),
                "level": Level(stored["level"]),
                "interval": Interval(**stored["interval"]),
                "aggregate_kind": AggregateKind(stored["aggregate_kind"]),
            }
        )

    def to_dict(self) -> dict[str, Cell]:
        """The row as one flat JSON object; it is also one line of the CSV file."""
        return {
            "dataset": self.dataset,
            "metric": self.metric.value,
            "level": self.level.value,
            "alpha": self.alpha,
            "alpha_low": self.interval.low,
            "alpha_high": self.interval.high,
            "units": self.units,
            "paired_units": self.paired_units,
            "raters": self.raters,
            "ratings": self.ratings,
            "missing": self.missing,
            "implied": self.implied,
            "left_out": self.left_out,
            "aggregate": self.aggregate,
            "aggregate_kind": self.aggregate_kind.value,
            "aggregate_label": self.aggregate_label,
            "aggregate_text": self.aggregate_text,
            "aggregate_event_mean": self.aggregate_event_mean,
            "reason": self.reason,
            "interval_reason": self.interval.reason,
            "unjudged": self.unjudged,
        }


CSV_COLUMNS = (
    "dataset",
    "metric",
    "level",
    "alpha",
    "alpha_low",
    "alpha_high",
    "units",
    "paired_units",
    "raters",
    "ratings",
    "missing",
    "implied",
    "left_out",
    "aggregate",
    "aggregate_kind",
    "aggregate_label",
    "aggregate_text",
    "aggregate_event_mean",
    "reason",
    "interval_reason",
    "unjudged",
)


def build_report(
    ratings: Iterable[MetricRatings], *, seed: int = 0, resamples: int = RESAMPLES
) -> tuple[ReportRow, ...]:
    """One row per item of `ratings`, in their order.

    `seed` (0 or more) fixes the intervals, each row's by itself, so that a row does not change with
    the company it is in; `resamples` 0 leaves intervals out.
    """
    return tuple(_report_row(item, seed, resamples) for item in ratings)


def report_csv_rows(
    rows: Iterable[ReportRow], *, freshness: Mapping[str, Cell] | None = None
) -> Iterator[list[str]]:
    """Yield the header and then one list of safe cells per row; see `csv_cells.safe_cell`.

    `freshness` are columns with the same cell in every row: of when the figures are.
    """
    same = dict(freshness or {})
    columns = (*CSV_COLUMNS, *same)
    yield list(columns)
    for row in rows:
        cells = row.to_dict() | same
        yield [safe_cell(cells[column]) for column in columns]


def _report_row(ratings: MetricRatings, seed: int, resamples: int) -> ReportRow:
    definition = ratings.definition
    alpha = krippendorff_alpha(ratings.counts, definition.level)
    aggregate = aggregate_ratings(ratings)
    interval = Interval(None, None, alpha.reason or NOT_COMPUTED)
    if alpha.value is not None and resamples:
        rng = np.random.default_rng(
            [seed, zlib.crc32(f"{ratings.dataset}\0{ratings.metric}".encode())]
        )
        interval = alpha_interval(
            ratings.counts, ratings.clusters, definition.level, rng, resamples
        )
    return ReportRow(
        dataset=ratings.dataset,
        metric=ratings.metric,
        level=definition.level,
        alpha=alpha.value,
        interval=interval,
        units=ratings.unit_count,
        paired_units=alpha.units,
        raters=ratings.rater_count,
        ratings=ratings.rating_count,
        missing=ratings.missing_count,
        implied=ratings.implied_count,
        left_out=aggregate.left_out,
        aggregate=aggregate.value,
        aggregate_kind=aggregate.kind,
        aggregate_label=aggregate.label,
        aggregate_text=aggregate.text,
        aggregate_event_mean=aggregate.event_mean,
        reason=_reason(ratings, alpha.reason, aggregate.reason),
        unjudged=ratings.unjudged_count,
    )


def _reason(ratings: MetricRatings, alpha_reason: str, aggregate_reason: str) -> str:
    definition = ratings.definition
    noun = "trace" if definition.scope is Scope.TRACE else "event"
    if not ratings.unit_count:
        return f"no {noun} has a video" if definition.needs_video else f"there is no {noun} to rate"
    if alpha_reason == NO_PAIRS:
        alpha_reason = f"no {noun} has two raters yet"
    # Both say the same when nobody has rated yet; once is enough.
    return "; ".join(dict.fromkeys(filter(None, (alpha_reason, aggregate_reason))))
