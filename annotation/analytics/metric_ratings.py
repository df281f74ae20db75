"""The ratings of one metric in one dataset as counts, from which every statistic starts.

Letters: N units (events, or traces for a metric of the trace), V values of the metric's scale in
the rubric's order.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from annotation.engine.rubric import CONFIDENCE_VALUES, Metric, MetricDefinition, current_rubric

Integers = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class RatedUnit:
    """One event (or trace) that is to be rated.

    `cluster` is the trace or video it belongs to; `expected` is how many raters owe it a rating.
    """

    key: int
    cluster: int
    expected: int


@dataclass(frozen=True, slots=True)
class RatingCell:
    """`count` raters gave a unit this value and confidence, `implied` of them by a skip rule."""

    unit: int
    value: str
    count: int
    confidence: int | None = None
    implied: int = 0


@dataclass(frozen=True, slots=True)
class MetricRatings:
    """All ratings of one metric in one dataset.

    counts: (N, V), how many raters gave each value. expected: (N,), how many were due. clusters:
    (N,), the trace or video of each unit. logic_tallies: (N, 2, 3) for a metric with confidence,
    raters by answer (no, yes) and confidence (1, 2, 3); a rating without confidence is in `counts`
    only. `implied_count` of the ratings were filled in by a skip rule.
    """

    dataset: str
    metric: Metric
    counts: Integers
    expected: Integers
    clusters: Integers
    rater_count: int
    implied_count: int = 0
    logic_tallies: Integers | None = None

    def __post_init__(self) -> None:
        unit_count = len(self.counts)
        shapes = {
            "counts": (self.counts.shape, (unit_count, len(self.definition.values))),
            "expected": (self.expected.shape, (unit_count,)),
            "clusters": (self.clusters.shape, (unit_count,)),
        }
        if self.logic_tallies is not None:
            shapes["logic_tallies"] = (
                self.logic_tallies.shape,
                (unit_count, 2, len(CONFIDENCE_VALUES)),
            )
        for name, (found, expected) in shapes.items():
            if found != expected:
                raise ValueError(f"{self.metric}: {name} has shape {found}; expected {expected}")
        if (self.logic_tallies is not None) != self.definition.has_confidence:
            raise ValueError(
                f"{self.metric}: logic_tallies belong to the metric that asks for a confidence"
            )

    @property
    def definition(self) -> MetricDefinition:
        return current_rubric().definition(self.metric)

    @property
    def unit_count(self) -> int:
        return len(self.counts)

    @property
    def rating_count(self) -> int:
        return int(self.counts.sum())

    @property
    def missing_count(self) -> int:
        """Count the ratings still due; one rating too many elsewhere does not make up for them."""
        return int(np.maximum(self.expected - self.counts.sum(axis=1), 0).sum())

    def unit(self, index: int) -> "MetricRatings":
        """Return the ratings of the unit at `index` alone; who rated it and by rule is not kept."""
        row = slice(index, index + 1)
        return MetricRatings(
            dataset=self.dataset,
            metric=self.metric,
            counts=self.counts[row],
            expected=self.expected[row],
            clusters=self.clusters[row],
            rater_count=int(self.counts[row].sum()),
            logic_tallies=None if self.logic_tallies is None else self.logic_tallies[row],
        )


def tabulate_ratings(
    *,
    dataset: str,
    metric: Metric,
    units: Sequence[RatedUnit],
    cells: Iterable[RatingCell],
    rater_count: int,
) -> MetricRatings:
    """Return the counts of `cells`, one row per unit in the order of `units`.

    Cells are what a database groups ratings into: by unit, value and confidence. Raises KeyError
    for a cell of a unit or value that does not exist; both were checked when the rating was saved.
    """
    definition = current_rubric().definition(metric)
    row_of = {unit.key: row for row, unit in enumerate(units)}
    column_of = {value: column for column, value in enumerate(definition.values)}
    counts = np.zeros((len(units), len(definition.values)), dtype=np.int64)
    tallies = np.zeros((len(units), 2, len(CONFIDENCE_VALUES)), dtype=np.int64)
    implied_count = 0
    for cell in cells:
        row, column = row_of[cell.unit], column_of[cell.value]
        counts[row, column] += cell.count
        implied_count += cell.implied
        if definition.has_confidence and cell.confidence is not None:
            tallies[row, column, CONFIDENCE_VALUES.index(cell.confidence)] += cell.count
    return MetricRatings(
        dataset=dataset,
        metric=metric,
        counts=counts,
        expected=np.array([unit.expected for unit in units], dtype=np.int64),
        clusters=np.array([unit.cluster for unit in units], dtype=np.int64),
        rater_count=rater_count,
        implied_count=implied_count,
        logic_tallies=tallies if definition.has_confidence else None,
    )
