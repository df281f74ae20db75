"""The ratings of one metric in one dataset as counts, from which every statistic starts.

Letters: N units (events, or traces for a metric of the trace), V values of the metric's scale in
the rubric's order.
"""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from annotation.engine.rubric import CONFIDENCE_VALUES, Metric, MetricDefinition, current_rubric

Integers = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class RatingChunk:
    """Some ratings of one metric, (M,) each: unit, value, confidence (0 for none), rater."""

    units: Integers
    values: Integers
    confidences: Integers
    is_implied: Flags
    raters: Integers


@dataclass(frozen=True, slots=True)
class MetricRatings:
    """All ratings of one metric in one dataset.

    counts: (N, V), how many raters gave each value. expected: (N,), how many were due. clusters:
    (N,), the trace or video of each unit. logic_tallies: (N, 2, 3) for a metric with confidence,
    raters by answer (no, yes) and confidence (1, 2, 3); a rating without confidence is in `counts`
    only. `implied_count` of the ratings were filled in by a skip rule. unjudged: (N,), how many
    raters said with a reason that they cannot judge; they are no ratings and none is missing.
    """

    dataset: str
    metric: Metric
    counts: Integers
    expected: Integers
    clusters: Integers
    rater_count: int
    implied_count: int = 0
    logic_tallies: Integers | None = None
    unjudged: Integers | None = None

    def __post_init__(self) -> None:
        unit_count = len(self.counts)
        shapes = {
            "counts": (self.counts.shape, (unit_count, len(self.definition.values))),
            "expected": (self.expected.shape, (unit_count,)),
            "clusters": (self.clusters.shape, (unit_count,)),
        }
        if self.unjudged is not None:
            shapes["unjudged"] = (self.unjudged.shape, (unit_count,))
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
        given = self.counts.sum(axis=1)
        if self.unjudged is not None:
            given = given + self.unjudged
        return int(np.maximum(self.expected - given, 0).sum())

    @property
    def unjudged_count(self) -> int:
        return 0 if self.unjudged is None else int(self.unjudged.sum())


class RatingTally:
    """Counts the ratings of one metric, a chunk of them at a time: memory grows with units only.

    Units and raters are numbered from 0; a value is its place among the metric's values.
    """

    def __init__(self, metric: Metric, *, unit_count: int, rater_count: int) -> None:
        self.definition = current_rubric().definition(metric)
        self.counts = np.zeros((unit_count, len(self.definition.values)), dtype=np.int64)
        self.tallies = (
            np.zeros((unit_count, 2, len(CONFIDENCE_VALUES)), dtype=np.int64)
            if self.definition.has_confidence
            else None
        )
        self.has_rated = np.zeros(rater_count, dtype=bool)
        self.unjudged = np.zeros(unit_count, dtype=np.int64)
        self.implied_count = 0

    def add(self, ratings: RatingChunk) -> None:
        """Count a chunk. Raises IndexError for a unit or value that does not exist."""
        np.add.at(self.counts, (ratings.units, ratings.values), 1)
        self.has_rated[ratings.raters] = True
        self.implied_count += int(ratings.is_implied.sum())
        if self.tallies is not None:
            sure = np.isin(ratings.confidences, CONFIDENCE_VALUES)
            places = np.searchsorted(CONFIDENCE_VALUES, ratings.confidences[sure])
            np.add.at(self.tallies, (ratings.units[sure], ratings.values[sure], places), 1)

    def add_unjudged(self, units: Integers) -> None:
        """Count answers that could not be given, (M,) units."""
        np.add.at(self.unjudged, units, 1)

    def ratings(
        self, *, dataset: str, expected: Integers, clusters: Integers, is_unit: Flags | None = None
    ) -> MetricRatings:
        """What was counted; with `is_unit`, (N,), of these units and the rated ones only."""
        kept = slice(None) if is_unit is None else is_unit | (self.counts.sum(axis=1) > 0)
        return MetricRatings(
            dataset=dataset,
            metric=self.definition.metric,
            counts=self.counts[kept],
            expected=expected[kept],
            clusters=clusters[kept],
            rater_count=int(self.has_rated.sum()),
            implied_count=self.implied_count,
            logic_tallies=None if self.tallies is None else self.tallies[kept],
            unjudged=self.unjudged[kept],
        )


def ratings_hash(ratings: Iterable[MetricRatings]) -> str:
    """The SHA-256 of all that figures are computed from: same hash, same figures."""
    digest = hashlib.sha256()
    for item in ratings:
        digest.update(f"{item.dataset}\0{item.metric}\0{item.rater_count}".encode())
        digest.update(f"\0{item.implied_count}\0{item.counts.shape}\0".encode())
        for table in (
            item.counts, item.expected, item.clusters, item.logic_tallies, item.unjudged
        ):  # fmt: skip
            if table is not None:
                digest.update(np.ascontiguousarray(table).tobytes())
    return digest.hexdigest()
