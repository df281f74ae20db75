"""How large an audit has to be: interval widths simulated from a pilot, and the hours they cost.

Audits of other sizes are made of the pilot's own traces: traces are drawn with replacement, and for
each the raters whose answers count, so that what raters differ in and what traces differ in both
show. The width is that of the middle 95% of alpha over such audits.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import combinations
from statistics import median

import numpy as np

from annotation.analytics.agreement.agreement import alphas_of, unit_coincidences
from annotation.analytics.agreement.intervals import (
    ALPHA_RANGE,
    INTERVAL_QUANTILES,
    MOST_UNDEFINED,
    why_not_shown,
)
from annotation.analytics.raters.raters import Floats, Integers, RaterAnswers
from annotation.engine.counting import counted

TRACE_COUNTS = (10, 25, 50, 100)
OVERLAPS = (2, 3, 4, 5)
DRAWS = 1000
# The 5% point of the normal distribution, one-sided, as Krippendorff's tables use it.
ONE_SIDED_Z = 1.645
FEWEST_TRACES = 5
# Ways to choose raters that are gone through for one trace; more than these are drawn from.
MOST_CHOICES = 100


@dataclass(frozen=True, slots=True)
class PlannedWidth:
    """The middle 95% of alpha over simulated audits, or the reason why there is none."""

    traces: int
    overlap: int
    low: float | None
    high: float | None
    reason: str = ""
    undefined_share: float = 0.0

    @property
    def width(self) -> float | None:
        return None if self.low is None or self.high is None else self.high - self.low


@dataclass(frozen=True, slots=True)
class Workload:
    """What an audit costs its raters; `ends_on` None where nobody works any hours."""

    minutes_per_event: float
    hours: float
    hours_per_rater: float
    ends_on: date | None


def simulated_widths(
    pilot: RaterAnswers,
    *,
    rng: np.random.Generator,
    trace_counts: Sequence[int] = TRACE_COUNTS,
    overlaps: Sequence[int] = OVERLAPS,
    draws: int = DRAWS,
) -> list[PlannedWidth]:
    """One width per overlap and number of traces, in this order.

    More raters per trace than the pilot had cannot be simulated from it, and are not.
    """
    by_trace = {
        int(trace): np.flatnonzero(pilot.traces == trace) for trace in np.unique(pilot.traces)
    }
    widths = []
    for overlap in overlaps:
        ways = [ways for ways in _ways_by_trace(pilot, by_trace, overlap, rng) if len(ways)]
        reason = ""
        if len(by_trace) < FEWEST_TRACES:
            reason = (
                f"the pilot has {counted(len(by_trace), 'rated trace')}; it takes {FEWEST_TRACES}"
            )
        elif len(ways) < FEWEST_TRACES:
            reason = f"the pilot has {counted(len(ways), 'trace')} with {overlap} raters or more"
        if reason:
            widths += [PlannedWidth(traces, overlap, None, None, reason) for traces in trace_counts]
            continue
        widths += [_width(ways, traces, overlap, pilot, rng, draws) for traces in trace_counts]
    return widths


def required_units(
    alpha_floor: float, rarest_share: float, *, z: float = ONE_SIDED_Z, coders: int = 2
) -> float:
    """How many units show that alpha lies above a floor, before rounding up.

    `rarest_share` is the share of the rarest value. Source: Bloch and Kraemer (1989), eq. 3.7, as
    Krippendorff tabulates it, published for two coders, 5% and a share of .25:

    >>> [math.ceil(required_units(floor, 0.25)) for floor in (0.667, 0.8)]
    [81, 139]
    """
    if not 0 < rarest_share <= 0.5:
        raise ValueError(f"share of the rarest value is {rarest_share}; expected above 0 up to .5")
    if not 0 <= alpha_floor < 1:
        raise ValueError(f"alpha to be shown is {alpha_floor}; expected 0 to below 1")
    spread = 4 * (1 - alpha_floor) * rarest_share * (1 - rarest_share)
    return coders * z**2 * ((1 + alpha_floor) * (3 - alpha_floor) / spread - alpha_floor)


def minutes_per_event(timed: Iterable[tuple[float, int]]) -> float | None:
    """The median over (seconds, events) of rated traces; None where there is none.

    >>> minutes_per_event([(120.0, 2), (600.0, 4), (90.0, 1)])
    1.5
    """
    rates = [seconds / events / 60 for seconds, events in timed if events]
    return median(rates) if rates else None


def workload(
    minutes: float,
    *,
    events: int,
    overlap: int,
    raters: int,
    hours_per_week: float,
    starts_on: date,
) -> Workload:
    """The hours of an audit by minutes per event, shared evenly.

    The published audit of 579 events by five raters each, at two minutes per event:

    >>> plan = workload(2.0, events=579, overlap=5, raters=5, hours_per_week=10,
    ...                 starts_on=date(2026, 1, 5))
    >>> (plan.hours, plan.hours_per_rater, plan.ends_on.isoformat())
    (96.5, 19.3, '2026-01-19')
    """
    hours = minutes * events * overlap / 60
    each = hours / raters
    ends_on = None
    if hours_per_week > 0:
        ends_on = starts_on + timedelta(days=math.ceil(7 * each / hours_per_week))
    return Workload(minutes, hours, each, ends_on)


def _ways_by_trace(
    pilot: RaterAnswers, by_trace: dict[int, Integers], overlap: int, rng: np.random.Generator
) -> Iterator[Floats]:
    """For each trace, what each choice of `overlap` of its raters adds to alpha: (W, V * V)."""
    value_count = len(pilot.definition.values)
    for places in by_trace.values():
        raters, rows = np.unique(pilot.raters[places], return_inverse=True)
        units, columns = np.unique(pilot.units[places], return_inverse=True)
        given = np.zeros((len(raters), len(units), value_count), dtype=np.int64)
        given[rows, columns, pilot.values[places]] = 1
        if math.comb(len(raters), overlap) <= MOST_CHOICES:
            choices = [list(choice) for choice in combinations(range(len(raters)), overlap)]
        else:
            choices = [
                rng.choice(len(raters), overlap, replace=False).tolist()
                for _ in range(MOST_CHOICES)
            ]
        # (W, U, V): the counts of each unit of the trace under each choice.
        counts = given[choices].sum(axis=1) if choices else np.zeros((0, 1, value_count), int)
        is_paired = counts.sum(axis=2) >= 2
        sums = np.zeros((len(choices), value_count**2))
        np.add.at(sums, np.nonzero(is_paired)[0], unit_coincidences(counts[is_paired]))
        yield sums


def _width(
    ways: Sequence[Floats],
    traces: int,
    overlap: int,
    pilot: RaterAnswers,
    rng: np.random.Generator,
    draws: int,
) -> PlannedWidth:
    profiles = np.concatenate(ways)
    sizes = np.array([len(item) for item in ways])
    starts = np.cumsum(sizes) - sizes
    sums = np.zeros((draws, profiles.shape[1]))
    for _ in range(traces):
        drawn = rng.integers(len(ways), size=draws)
        sums += profiles[starts[drawn] + (rng.random(draws) * sizes[drawn]).astype(int)]
    definition = pilot.definition
    alphas = alphas_of(sums, len(definition.values), definition.level)
    defined = alphas[~np.isnan(alphas)]
    undefined = 1 - len(defined) / draws
    if undefined > MOST_UNDEFINED:
        reason = f"in {undefined:.0%} of the simulated audits all answers are the same"
        return PlannedWidth(traces, overlap, None, None, reason, undefined)
    low, high = map(float, np.quantile(defined, INTERVAL_QUANTILES))
    if reason := why_not_shown(float(np.median(defined)), low, high, *ALPHA_RANGE):
        return PlannedWidth(traces, overlap, None, None, reason, undefined)
    return PlannedWidth(traces, overlap, low, high, "", undefined)
