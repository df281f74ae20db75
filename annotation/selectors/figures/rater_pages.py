"""What the pages of a round's raters show: figures beside what rules and people say."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import inf

import numpy as np

from annotation.analytics.pictures.drift import DriftLines, RaterDrift
from annotation.analytics.pictures.heat_map import HeatMap
from annotation.analytics.raters.rater_report import (
    BothSides,
    MetricOfRater,
    RaterFigures,
    with_everybody_and_accepted,
)
from annotation.analytics.raters.raters import Estimate, Integers, PairFigures
from annotation.analytics.raters.screening_terms import Rule
from annotation.engine.rubric.rubric import MetricDefinition, Scope
from annotation.models import ScreeningResult, ScreeningState
from annotation.selectors.figures.rater_figures import KEPT_ROUNDS, RaterData
from annotation.selectors.figures.stored_raters import RatersContent
from annotation.selectors.ratings.screening import FoundResult

# Upper ends of the shades of a heat map of alpha.
SHADES = (0.0, 0.4, 0.667, 0.8)
LINE_WIDTH, LINE_HEIGHT, LINE_MARGIN = 120, 40, 6


@dataclass(frozen=True, slots=True)
class ShownRater:
    """One rater with flags, decision, the state that follows from them, and figures on a metric."""

    name: str
    flagged: tuple[FoundResult, ...]
    decision: ScreeningResult | None
    state: str
    state_words: str
    on_metric: MetricOfRater


@dataclass(frozen=True, slots=True)
class ShownWork:
    """How one rater works, over all metrics."""

    figures: RaterFigures

    @property
    def skip_percent(self) -> str:
        return _percent(self.figures.skip_share)

    @property
    def watched_percent(self) -> str:
        return _percent(self.figures.watched_share)

    @property
    def seconds_per_event(self) -> str:
        return _plain(self.figures.seconds_per_event, decimals=0)

    @property
    def variance(self) -> str:
        return _plain(self.figures.variance)


@dataclass(frozen=True, slots=True)
class ShownMetric:
    """One rater on one metric; the line of the bias by fifths in SVG units."""

    name: str
    figures: MetricOfRater
    points: tuple[tuple[float, float], ...]

    @property
    def mean(self) -> str:
        return _plain(self.figures.mean)

    @property
    def agreement(self) -> str:
        return _plain(self.figures.correlation)

    @property
    def thirds(self) -> str:
        drift = self.figures.drift
        return f"{_plain(drift.first_third)}, {_plain(drift.last_third)}"

    @property
    def bias(self) -> str:
        return _signed(self.figures.bias.value)

    @property
    def change(self) -> str:
        return _signed(self.figures.drift.change.value)

    @property
    def bias_interval(self) -> str:
        return _interval(self.figures.bias)

    @property
    def change_interval(self) -> str:
        return _interval(self.figures.drift.change)

    @property
    def line(self) -> str:
        return " ".join(f"{x},{y}" for x, y in self.points)

    @property
    def fifths_words(self) -> str:
        return ", ".join(
            "–" if item is None else _signed(item) for item in self.figures.drift.fifths
        )


@dataclass(frozen=True, slots=True)
class PairCell:
    alpha: float | None
    units: int
    shade: str
    is_self: bool


@dataclass(frozen=True, slots=True)
class PairRow:
    name: str
    cells: tuple[PairCell, ...]


def order_of_raters(
    content: RatersContent, figures: Sequence[MetricOfRater], results: Iterable[ScreeningResult]
) -> list[int]:
    """The places of the raters: flagged ones, then who differs most clearly, then by agreement.

    `figures` are those on one metric. Labels have no bias, and few answers no error of it; what
    somebody decided is no flag any more.
    """
    rows = list(results)
    decided = {item.rater_id for item in rows if item.rule == ScreeningResult.DECISION}
    flagged = {item.rater_id for item in rows} - decided

    def standing(place: int) -> tuple[bool, float, float, int]:
        deviate, agreement = figures[place].bias.z, figures[place].correlation
        return (
            content.rater_ids[place] not in flagged,
            0.0 if deviate is None else -abs(deviate),
            inf if agreement is None else agreement,
            place,
        )

    return sorted(range(len(figures)), key=standing)


def shown_raters(
    content: RatersContent,
    places: Iterable[int],
    figures: Sequence[MetricOfRater],
    notable: Iterable[ScreeningResult],
    results: Iterable[FoundResult],
) -> list[ShownRater]:
    """The raters at these places, with their figures on one metric and all `results` of theirs.

    Decisions are among `notable`.
    """
    decisions = {item.rater_id: item for item in notable if item.rule == ScreeningResult.DECISION}
    by_rater: dict[int, list[FoundResult]] = {}
    for item in results:
        by_rater.setdefault(item.rater_id, []).append(item)
    raters = []
    for place in places:
        rows = by_rater.get(content.rater_ids[place], [])
        decision = decisions.get(content.rater_ids[place])
        flagged = tuple(item for item in rows if item.state == ScreeningState.FLAGGED)
        state = "flagged" if flagged else "accepted" if rows else "not_tested"
        if decision is not None:
            state = decision.state
        words = ScreeningState(state).label if rows else "Rules not run"
        name = content.names[place]
        raters.append(ShownRater(name, flagged, decision, state, words, figures[place]))
    return raters


def metric_rows(raters: Iterable[ShownRater], *, is_scale: bool) -> list[ShownMetric]:
    """Raters on their metric; lines of a 1-5 scale reach from -2 to 2 points."""
    reach = 2.0 if is_scale else 0.5
    return [
        ShownMetric(item.name, item.on_metric, tuple(_points(item.on_metric, reach)))
        for item in raters
    ]


def pair_rows(pairs: Iterable[PairFigures], names: Sequence[str]) -> list[PairRow]:
    """The heat map of pairs: alpha and shared units of every two raters."""
    cells = {(place, place): PairCell(None, 0, "none", is_self=True) for place in range(len(names))}
    for pair in pairs:
        cell = PairCell(
            pair.alpha,
            pair.units,
            "none" if pair.alpha is None else str(sum(pair.alpha > end for end in SHADES)),
            is_self=False,
        )
        cells[pair.first, pair.second] = cells[pair.second, pair.first] = cell
    places = range(len(names))
    return [PairRow(names[row], tuple(cells[row, column] for column in places)) for row in places]


def confusion_rows(
    definition: MetricDefinition, table: Integers
) -> list[tuple[str, list[tuple[int, str]]]]:
    """Value of the first rater -> (count, shade) for each value of the second."""
    most = max(int(table.max()), 1)
    return [
        (
            definition.shown(value),
            [(int(count), str(2 + round(2 * count / most)) if count else "none") for count in row],
        )
        for value, row in zip(definition.values, table, strict=True)
    ]


def pairs_picture(
    definition: MetricDefinition, pairs: Iterable[PairFigures], names: Sequence[str]
) -> HeatMap:
    """Alpha of every two raters on one metric."""
    values: list[list[float | None]] = [[None] * len(names) for _ in names]
    for pair in pairs:
        values[pair.first][pair.second] = values[pair.second][pair.first] = pair.alpha
    return HeatMap(
        title=f"{definition.title}: agreement of pairs",
        what="Krippendorff's alpha of two raters",
        rows=names,
        columns=names,
        values=values,
        lowest=0.0,
        highest=1.0,
    )


def shared_picture(
    definition: MetricDefinition, pairs: Iterable[PairFigures], names: Sequence[str]
) -> HeatMap:
    """How many events (or traces) every two raters both rated."""
    values: list[list[int | None]] = [[None] * len(names) for _ in names]
    for pair in pairs:
        values[pair.first][pair.second] = values[pair.second][pair.first] = pair.units
    unit = "traces" if definition.scope is Scope.TRACE else "events"
    return HeatMap(
        title=f"{definition.title}: {unit} that both rated",
        what=f"{unit.capitalize()} that two raters share",
        rows=names,
        columns=names,
        values=values,
        lowest=0.0,
        highest=float(max((cell or 0 for row in values for cell in row), default=0)),
        decimals=None,
    )


def confusion_picture(
    definition: MetricDefinition, table: Integers, first: str, second: str
) -> HeatMap:
    """How often one rater gave what where the other gave what."""
    values = [definition.shown(value) for value in definition.values]
    return HeatMap(
        title=f"{definition.title}: {first} beside {second}",
        what="Answers",
        rows=values,
        columns=values,
        values=table.tolist(),
        lowest=0.0,
        highest=float(table.max(initial=0)),
        decimals=None,
        row_title=first,
        column_title=second,
    )


def drift_picture(names: Sequence[str], figures: Sequence[MetricOfRater], title: str) -> DriftLines:
    """Everybody's bias by fifths on a metric."""
    drifts = [(name, item.drift) for name, item in zip(names, figures, strict=True)]
    return DriftLines(
        title=f"{title}: bias by fifths of each rater's own order",
        raters=[RaterDrift(name, drift.fifths, drift.change) for name, drift in drifts],
    )


def rule_words(rule: str, words: dict[Rule, str]) -> str:
    return "A person's decision" if rule == ScreeningResult.DECISION else words[Rule(rule)]


@lru_cache(maxsize=KEPT_ROUNDS)
def both_sides(data: RaterData, out: frozenset[int], seed: int) -> tuple[BothSides, ...]:
    """Alpha of every metric and data set with everybody and without the raters of these keys."""
    is_accepted = np.array([key not in out for key in data.rater_ids], bool)
    return tuple(
        row
        for item in data.answers
        for row in with_everybody_and_accepted(
            item,
            is_accepted=is_accepted,
            datasets=data.datasets,
            unit_datasets=data.unit_datasets[item.definition.scope],
            seed=seed,
        )
    )


def _points(figures: MetricOfRater, reach: float) -> Iterator[tuple[float, float]]:
    fifths = figures.drift.fifths
    step = (LINE_WIDTH - 2 * LINE_MARGIN) / (len(fifths) - 1)
    for place, value in enumerate(fifths):
        if value is not None:
            share = min(max(value / reach, -1.0), 1.0)
            y = LINE_HEIGHT / 2 - share * (LINE_HEIGHT / 2 - LINE_MARGIN)
            yield round(LINE_MARGIN + place * step, 1), round(y, 1)


def _plain(value: float | None, decimals: int = 2) -> str:
    return "–" if value is None else f"{value:.{decimals}f}".replace("-", "−")


def _signed(value: float | None) -> str:
    return "–" if value is None else f"{value:+.2f}".replace("-", "−")


def _interval(estimate: Estimate) -> str:
    if estimate.low is None or estimate.high is None:
        return ""
    return f"{estimate.low:.2f} to {estimate.high:.2f}".replace("-", "−")


def _percent(share: float | None) -> str:
    return "" if share is None else f"{share:.0%}"
