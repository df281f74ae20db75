"""The ratings of one metric in one data set, from which every statistic starts.

Letters: N units (events, or traces for a metric of the trace), V values of the metric's scale in
the rubric's order, R ratings.
"""

import hashlib
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from annotation.analytics.agreement.answers import Answers, latest
from annotation.engine.corpus.step_words import what_raters_saw
from annotation.engine.rubric.rubric import CONFIDENCE_VALUES, Metric, MetricDefinition

Integers = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Basis:
    """Which ratings figures are of: rounds by number, and by name what they have in common or not.

    `guidelines` are the versions that the raters read, `rubric` that of the scales. `step_words` is
    what they saw where a step is on one side only (`StepWords`, several where rounds differ).
    `seed` is the round's, 0 where several were pooled.
    """

    campaign: str = ""
    rounds: tuple[int, ...] = ()
    phase: str = ""
    guidelines: tuple[str, ...] = ()
    rubric: str = ""
    seed: int = 0
    step_words: tuple[str, ...] = field(default=(), repr=False)

    @property
    def words_told(self) -> str:
        return what_raters_saw(self.step_words)

    @property
    def round(self) -> int | None:
        """The number of the round; None where there is none or where several were pooled."""
        return self.rounds[0] if len(self.rounds) == 1 else None

    @property
    def is_pooled(self) -> bool:
        return len(self.rounds) > 1

    @property
    def guideline(self) -> str:
        return ", ".join(self.guidelines)

    @property
    def text(self) -> str:
        """The basis as a person says it, without the campaign.

        >>> Basis(rounds=(2,), phase="main", guidelines=("3",)).text
        'round 2 (main), guideline 3'
        """
        if not self.rounds:
            return "no round yet"
        words = f"round {self.round} ({self.phase})"
        if self.is_pooled:
            words = f"{len(self.rounds)} rounds pooled, of each rater the last answer"
        noun = "guideline" if len(self.guidelines) == 1 else "guidelines"
        return f"{words}, {noun} {self.guideline}" if self.guidelines else words


@dataclass(frozen=True, slots=True)
class RatingChunk:
    """Some ratings of one metric, (M,) each: unit, value, confidence (0 for none), rater.

    `turns` order what one rater said of one unit: of two answers the later one counts.
    """

    units: Integers
    values: Integers
    confidences: Integers
    is_implied: Flags
    raters: Integers
    turns: Integers


# The columns with an entry for each rating, and those with one for each unit.
OF_RATINGS = ("confidences", "is_implied")
OF_UNITS = ("expected", "clusters", "keys", "unjudged", "is_correction")


@dataclass(frozen=True)
class MetricRatings:
    """All ratings of one metric in one data set on one basis.

    confidences, is_implied: (R,), in the order of `answers`. expected: (N,), how many ratings were
    due. clusters: (N,), the place in `takes` of what each unit was made from: units of one take are
    not independent. keys: (N,), what unit of the data set it is. unjudged: (N,), how many raters
    said with a reason that they cannot judge; they are no ratings and none is missing.
    is_correction: (N,), False for mistakes, and for traces where the metric is of these.
    placeholder_count answers about pictures that are placeholders are not among the ratings.
    """

    dataset: str
    definition: MetricDefinition
    answers: Answers
    confidences: npt.NDArray[np.int8]
    is_implied: Flags
    expected: Integers
    clusters: Integers
    keys: Integers
    unjudged: Integers
    is_correction: Flags
    takes: tuple[str, ...] = ()
    is_trace_per_take: bool = True
    basis: Basis = field(default_factory=Basis)
    placeholder_count: int = 0

    def __post_init__(self) -> None:
        for name in (*OF_RATINGS, *OF_UNITS):
            found = len(getattr(self, name))
            wanted = self.rating_count if name in OF_RATINGS else self.unit_count
            if found != wanted:
                raise ValueError(f"{self.metric}: {name} has {found} entries; expected {wanted}")
        if self.answers.value_count != len(self.definition.values):
            raise ValueError(
                f"{self.metric}: answers have {self.answers.value_count} values; "
                f"expected {len(self.definition.values)}"
            )

    @property
    def metric(self) -> Metric:
        return self.definition.metric

    @property
    def counts(self) -> Integers:
        """How many raters gave each value, (N, V)."""
        return self.answers.counts

    @cached_property
    def logic_tallies(self) -> Integers | None:
        """Raters by answer (no, yes) and confidence (1, 2, 3), (N, 2, 3), where one is asked.

        A rating without confidence is in `counts` only.
        """
        if not self.definition.has_confidence:
            return None
        tallies = np.zeros((self.unit_count, 2, len(CONFIDENCE_VALUES)), dtype=np.int64)
        is_sure = np.isin(self.confidences, CONFIDENCE_VALUES)
        places = np.searchsorted(CONFIDENCE_VALUES, self.confidences[is_sure])
        np.add.at(tallies, (self.answers.units[is_sure], self.answers.values[is_sure], places), 1)
        return tallies

    @property
    def unit_count(self) -> int:
        return self.answers.unit_count

    @property
    def rating_count(self) -> int:
        return len(self.answers.units)

    @property
    def rater_count(self) -> int:
        """How many people gave at least one of the ratings."""
        return len(np.unique(self.answers.raters))

    @property
    def implied_count(self) -> int:
        return int(self.is_implied.sum())

    @property
    def unjudged_count(self) -> int:
        return int(self.unjudged.sum())

    @property
    def missing_count(self) -> int:
        """Count the ratings still due; one rating too many elsewhere does not make up for them."""
        given = self.counts.sum(axis=1) + self.unjudged
        return int(np.maximum(self.expected - given, 0).sum())

    @property
    def cluster_noun(self) -> str:
        return "trace" if self.is_trace_per_take else "take"

    @cached_property
    def hash(self) -> str:
        """The SHA-256 of all that figures are computed from: same hash, same figures."""
        digest = hashlib.sha256()
        head = (self.dataset, self.metric, self.basis, self.answers.counts.shape, self.takes)
        digest.update(repr(head).encode())
        if self.metric is Metric.TAXONOMY_FIT and self.basis.step_words:
            digest.update(repr(self.basis.step_words).encode())
        if self.placeholder_count:
            digest.update(f"{self.placeholder_count} of placeholders".encode())
        # Who has which number among the raters depends on the database, and no figure on it.
        raters = np.unique(self.answers.raters, return_inverse=True)[1].astype(np.int16)
        for column in (
            self.answers.units, raters, self.answers.values, self.confidences, self.is_implied,
            self.expected, self.clusters, self.unjudged, self.is_correction,
        ):  # fmt: skip
            digest.update(f"\0{len(column)}\0".encode())
            digest.update(np.ascontiguousarray(column).tobytes())
        return digest.hexdigest()

    def of_units(self, is_chosen: Flags) -> "MetricRatings":
        """The ratings of the units for which the flag, (N,), is set."""
        places = np.cumsum(is_chosen) - 1
        kept = is_chosen[self.answers.units]
        answers = self.answers.chosen(kept)
        return replace(
            self,
            answers=replace(
                answers,
                units=places[answers.units].astype(np.int32),
                unit_count=int(is_chosen.sum()),
            ),
            **{name: getattr(self, name)[kept] for name in OF_RATINGS},
            **{name: getattr(self, name)[is_chosen] for name in OF_UNITS},
        )


@dataclass(frozen=True, slots=True)
class Units:
    """What is to be rated of one metric, (N,) each, with `takes` by their place."""

    keys: Integers
    clusters: Integers
    expected: Integers
    is_correction: Flags
    takes: tuple[str, ...] = ()
    is_trace_per_take: bool = True


# What a rating takes in memory, by the columns of a chunk.
COLUMN_KINDS: dict[str, type[np.generic]] = {
    "units": np.int32, "raters": np.int16, "values": np.int8, "confidences": np.int8,
    "is_implied": np.bool_, "turns": np.int32,
}  # fmt: skip


class RatingTally:
    """Gathers the ratings of one metric, a chunk at a time: a rating takes 13 bytes.

    Units and raters are numbered from 0; a value is its place among the metric's values.
    """

    def __init__(self, definition: MetricDefinition, *, unit_count: int, rater_count: int) -> None:
        self.definition = definition
        self.shape = (unit_count, rater_count, len(definition.values))
        self.unjudged = np.zeros(unit_count, dtype=np.int64)
        self._chunks: list[tuple[npt.NDArray[Any], ...]] = []

    def add(self, ratings: RatingChunk) -> None:
        self._chunks.append(
            tuple(getattr(ratings, name).astype(kind) for name, kind in COLUMN_KINDS.items())
        )

    def add_unjudged(self, units: Integers) -> None:
        """Count answers that could not be given, (M,) units."""
        np.add.at(self.unjudged, units, 1)

    def ratings(
        self,
        units: Units,
        *,
        dataset: str,
        basis: Basis,
        is_unit: Flags | None = None,
        placeholder_count: int = 0,
    ) -> MetricRatings:
        """What was gathered; with `is_unit`, (N,), of these units and the rated ones only.

        Raises IndexError for a unit, rater or value that does not exist.
        """
        columns = [
            np.concatenate([chunk[place] for chunk in self._chunks] or [np.empty(0, kind)])
            for place, kind in enumerate(COLUMN_KINDS.values())
        ]
        in_turn = np.argsort(columns[5], kind="stable")
        given, raters, values, confidences, is_implied = (item[in_turn] for item in columns[:5])
        kept = latest(given, raters, rater_count=self.shape[1])
        found = MetricRatings(
            dataset=dataset,
            definition=self.definition,
            answers=Answers.of(given, raters, values, shape=self.shape),
            confidences=confidences[kept],
            is_implied=is_implied[kept],
            expected=units.expected,
            clusters=units.clusters,
            keys=units.keys,
            unjudged=self.unjudged,
            is_correction=units.is_correction,
            takes=units.takes,
            is_trace_per_take=units.is_trace_per_take,
            basis=basis,
            placeholder_count=placeholder_count,
        )
        if is_unit is None:
            return found
        return found.of_units(is_unit | (found.counts.sum(axis=1) > 0))
