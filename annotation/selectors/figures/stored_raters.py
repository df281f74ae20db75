"""Figures of a round's raters as they are stored, and whether anything has changed since."""

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from itertools import combinations, islice
from math import comb
from typing import Any, overload

import numpy as np
from django.db.models import OuterRef, Subquery, TextField
from django.db.models.functions import Cast
from django.utils import timezone

from annotation.analytics.raters.planner import PlannedWidth
from annotation.analytics.raters.rater_report import (
    BothSides,
    MetricOfRater,
    PairOfRaters,
    RaterFigures,
    same_again,
)
from annotation.analytics.raters.raters import Integers, PairFigures
from annotation.engine.rubric.rubric import Metric, Scope, current_rubric
from annotation.engine.stored import from_stored
from annotation.models import (
    Assignment,
    InterimLook,
    Phase,
    Purpose,
    RaterPairs,
    RaterRoundFigures,
    Rating,
    Round,
    ScreeningResult,
    User,
)
from annotation.selectors.figures.audit_plans import Pilot
from annotation.selectors.figures.figures import InterimFigures
from annotation.selectors.figures.rater_figures import round_state
from annotation.selectors.ratings.assignments import of_placeholders
from annotation.selectors.ratings.screening import left_out, notable_results

# Raise it when the same ratings give other figures: all are then computed anew.
RATER_FIGURES_VERSION = 1
# What a look at them is stored as, in the place of a data set.
PAIRS = "pairs of raters"


@dataclass(frozen=True, slots=True)
class StoredPlan:
    """Widths of intervals on one metric, and the share of the rarest value that was given."""

    metric: Metric
    widths: tuple[PlannedWidth, ...]
    rarest_share: float | None


@dataclass(frozen=True, slots=True)
class RatersContent:
    """The raters by name with their keys, what a plan is made of, and both sides.

    `both` compares everybody with the accepted, without the keys in `left_out`, who were not when
    the figures were computed.
    """

    rater_ids: tuple[int, ...]
    names: tuple[str, ...]
    pilot: Pilot
    plans: tuple[StoredPlan, ...]
    left_out: tuple[int, ...]
    both: tuple[BothSides, ...]


class FiguresByName(Sequence[RaterFigures]):
    """The figures of the raters in the order of their names, read when and as far as wanted.

    Those of 200 raters are a megabyte; a page shows some of them, or one metric.
    """

    def __init__(self, text: str = "[]") -> None:
        self._text = text

    @cached_property
    def _rows(self) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = json.loads(self._text)
        return rows

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, place: int) -> RaterFigures: ...
    @overload
    def __getitem__(self, place: slice) -> list[RaterFigures]: ...
    def __getitem__(self, place: int | slice) -> RaterFigures | list[RaterFigures]:
        if isinstance(place, int):
            return from_stored(RaterFigures, self._rows[place])
        return [from_stored(RaterFigures, row) for row in self._rows[place]]

    def without_metrics(self, places: Iterable[int]) -> list[RaterFigures]:
        """The figures of the raters at these places over all metrics."""
        return [from_stored(RaterFigures, self._rows[place] | {"metrics": ()}) for place in places]

    def on_metric(self, place: int) -> list[MetricOfRater]:
        """Every rater on the metric at a place of the rubric."""
        return [from_stored(MetricOfRater, row["metrics"][place]) for row in self._rows]

    def as_json(self, start: int, stop: int) -> list[dict[str, Any]]:
        """From one rater to another as they are stored, with `self_agreement`."""
        return [
            row | {"self_agreement": same_again(*row["repeats"])} for row in self._rows[start:stop]
        ]


@dataclass(frozen=True, slots=True)
class StoredRaters:
    """Stored figures and how old they are; `content` None means that there are none yet.

    `results` are the flags of screening and what people decided, as of now.
    """

    round: Round
    results: tuple[ScreeningResult, ...]
    content: RatersContent | None
    computed_at: datetime | None
    newer_count: int
    is_outdated: bool
    is_being_computed: bool
    error: str
    interim: tuple[InterimFigures, ...] = ()
    figures: FiguresByName = field(default_factory=FiguresByName)

    def pairs(self, metric: Metric) -> list[PairFigures]:
        """Every two raters on one metric, by their places (1 query)."""
        raters = 0 if self.content is None else len(self.content.names)
        return self.pairs_among(metric, range(raters))

    def pairs_among(self, metric: Metric, places: Sequence[int]) -> list[PairFigures]:
        """Every two of the raters at these places, by their places among these (1 query)."""
        if self.content is None:
            return []
        rows = self._pairs_of([metric])[metric]
        raters = len(self.content.names)
        return [
            PairFigures(first, second, *rows[_place_of_pair(places[first], places[second], raters)])
            for first, second in combinations(range(len(places)), 2)
        ]

    def _pairs_of(self, metrics: Sequence[Metric]) -> dict[str, list[Sequence[Any]]]:
        """What is stored of every two raters on each of the metrics (1 query)."""
        stored = RaterPairs.objects.filter(figures__round=self.round, metric__in=metrics)
        return dict(stored.values_list("metric", "rows"))

    @property
    def pair_count(self) -> int:
        """How many rows `named_pairs` has."""
        raters = 0 if self.content is None else len(self.content.names)
        return comb(raters, 2) * len(current_rubric().metrics)

    def named_pairs(self, start: int, stop: int) -> list[PairOfRaters]:
        """Every two raters on every metric, from one place to another (1 query)."""
        pairs = 0 if self.content is None else comb(len(self.content.names), 2)
        if self.content is None or not pairs:
            return []
        names, first = self.content.names, start // pairs
        metrics = [item.metric for item in current_rubric().metrics][first : -(-stop // pairs)]
        if not metrics:
            return []
        rows = self._pairs_of(metrics)
        found = (
            (two, metric, row)
            for metric in metrics
            for two, row in zip(combinations(names, 2), rows[metric], strict=True)
        )
        return [
            PairOfRaters(*two, metric, *row)
            for two, metric, row in islice(found, start - first * pairs, stop - first * pairs)
        ]


def _place_of_pair(one: int, other: int, raters: int) -> int:
    """Where two of so many raters stand among every two of them."""
    first, second = sorted((one, other))
    return first * raters - first * (first + 1) // 2 + second - first - 1


def raters_state(round_: Round, results: Sequence[ScreeningResult]) -> dict[str, Any]:
    """Equal exactly when the same figures would come out; `changes` counts changes of ratings.

    `results` are the flags of screening and what people decided so far.
    """
    state, out = round_state(round_), sorted(left_out(results))
    made_of = [RATER_FIGURES_VERSION, current_rubric().version, round_.seed, out, list(state)]
    digest = hashlib.sha256(json.dumps(made_of, default=str).encode()).hexdigest()
    return {"digest": digest, "changes": state.change_count}


def stored_raters(round_: Round, reader: User | None = None) -> StoredRaters:
    """What is stored of a round's raters, with its age as of now (5 queries)."""
    of_reader = {"person": reader, "day": timezone.now().date()}
    looks = InterimLook.objects.filter(round=OuterRef("round"), **of_reader).values("figures")
    rows = RaterRoundFigures.objects.select_related("job").defer("figures")
    # As text, which who wants none of it does not take apart.
    rows = rows.annotate(seen=Subquery(looks), figures_text=Cast("figures", TextField()))
    found = rows.filter(round=round_).first()
    seen = () if found is None else found.seen or ()
    stored = RaterRoundFigures(round=round_) if found is None else found
    results = tuple(notable_results(round_))
    state, is_computed = raters_state(round_, results), stored.computed_at is not None
    changes = stored.state.get("changes", 0)
    content = from_stored(RatersContent, stored.content) if is_computed else None
    interim: tuple[InterimFigures, ...] = ()
    if content is not None and round_.phase == Phase.MAIN and round_.is_open:
        figures = tuple((PAIRS, plan.metric.value) for plan in content.plans)
        is_noted = set(figures) <= {(name, metric) for name, metric in seen}
        interim = (InterimFigures(round_, figures, is_noted),)
    return StoredRaters(
        round=round_,
        results=results,
        content=content,
        computed_at=stored.computed_at,
        newer_count=max(0, state["changes"] - changes) if is_computed else 0,
        is_outdated=stored.state != state,
        is_being_computed=stored.is_being_computed,
        error=stored.error,
        interim=interim,
        figures=FiguresByName() if found is None else FiguresByName(found.figures_text),
    )


def confusion_of(round_: Round, metric: Metric, first: int, second: int) -> Integers:
    """The answers of two raters, by their keys, to what both rated, (V, V): `first` in rows."""
    definition = current_rubric().definition(metric)
    places = {value: place for place, value in enumerate(definition.values)}
    own = Assignment.objects.filter(round=round_, is_informed=False, purpose=Purpose.ORDINARY)
    rated = (
        Rating.objects.filter(
            assignment__in=own.filter(rater__in=(first, second)), metric=metric, value__gt=""
        )
        .exclude(of_placeholders())
        .order_by()
    )
    unit = "assignment__trace_id" if definition.scope is Scope.TRACE else "event_id"
    answers: dict[int, dict[int, int]] = {first: {}, second: {}}
    for rater, key, value in rated.values_list("assignment__rater_id", unit, "value"):
        answers[rater][key] = places[value]
    table = np.zeros((len(places), len(places)), dtype=np.int64)
    for key in answers[first].keys() & answers[second].keys():
        table[answers[first][key], answers[second][key]] += 1
    return table
