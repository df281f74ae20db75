"""How each rater rates, beside the others: bias, drift, runs, agreement with others and in pairs.

Letters: M answers to one metric, R raters, N units. A rater is compared with the others on shared
units only, so that who got harder traces does not look stricter. Answers of one trace are given in
one sitting, hence every interval takes whole traces as its unit.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations

import numpy as np
import numpy.typing as npt
import scipy

from annotation.analytics.agreement.agreement import NO_PAIRS, NO_VARIATION, alphas_of
from annotation.analytics.agreement.answers import Answers
from annotation.analytics.agreement.coefficients import kappas_of
from annotation.analytics.agreement.intervals import why_not_shown
from annotation.engine.rubric.rubric import Metric, MetricDefinition, Scale, current_rubric

Integers = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]

FIFTHS = 5
NO_SHARED = "shares no unit with another rater"
FEW_TRACES = "needs shared units in at least three traces"
NO_ORDER = "labels have no order"
NO_TIMES = "when these answers were given is not known"


@dataclass(frozen=True, eq=False)
class RaterAnswers:
    """All answers to one metric, (M,) each.

    `raters` are numbered 0..R-1; `units` are events (or traces), `traces` whose they are; `values`
    are places on the scale from 0; `moments` are seconds since 1970, nan where nobody knows.
    `is_implied` marks what a skip rule filled in.
    """

    metric: Metric
    rater_count: int
    raters: Integers
    units: Integers
    traces: Integers
    values: Integers
    moments: Floats
    is_implied: Flags

    @property
    def definition(self) -> MetricDefinition:
        return current_rubric().definition(self.metric)

    @cached_property
    def counted(self) -> Answers:
        shape = (
            int(self.units.max(initial=-1)) + 1, self.rater_count, len(self.definition.values)
        )  # fmt: skip
        return Answers.of(self.units, self.raters, self.values, shape=shape)

    @property
    def is_ordered(self) -> bool:
        return self.definition.scale is not Scale.TAXONOMY

    @cached_property
    def differences(self) -> Floats:
        """`difference_to_others` with everybody as others, which is asked for by every rater."""
        return difference_to_others(self, np.ones(self.rater_count, bool))

    def of(self, rater: int) -> Integers:
        """The places of a rater's answers, in the order in which they were given."""
        own = np.flatnonzero(self.raters == rater)
        return own[np.argsort(self.moments[own], kind="stable")]


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number with its standard error and 95% interval over traces; `reason` for what is None.

    `answers` and `traces` are how many it rests on.
    """

    value: float | None
    error: float | None = None
    low: float | None = None
    high: float | None = None
    reason: str = ""
    answers: int = 0
    traces: int = 0

    @property
    def z(self) -> float | None:
        """The normal deviate that is as rare as this value; None without an error to divide by."""
        if self.value is None or not self.error:
            return None
        tail = scipy.special.stdtr(self.traces - 1, -abs(self.value / self.error))
        return math.copysign(float(scipy.special.ndtri(tail)), self.value)


@dataclass(frozen=True, slots=True)
class Drift:
    """Bias by fifths of a rater's own order, and the line through it.

    `change` is the slope: how much the bias moves from the first answer to the last.
    `first_third` and `last_third` are correlations with the others (`correlation_with_others`).
    """

    fifths: tuple[float | None, ...]
    change: Estimate
    first_third: float | None
    last_third: float | None


@dataclass(frozen=True, slots=True)
class LongestRun:
    """The longest run of one value that a rater typed: its length, and how common the value is.

    `others_share` is the share of the others' typed answers that have this value.
    """

    length: int
    value: str
    others_share: float


@dataclass(frozen=True, slots=True)
class PairFigures:
    """Two raters, by number: on how many units and traces they met, and their alpha there."""

    first: int
    second: int
    units: int
    traces: int
    alpha: float | None
    reason: str


def difference_to_others(answers: RaterAnswers, group: Flags | None = None) -> Floats:
    """Each answer minus the mean of the others' on its unit, (M,); nan where nobody else is.

    Of a 1-5 scale in points, of yes/no in shares (+1: own yes, all others no). `group`, (R,), says
    who counts as others; default everybody.

    >>> answers = RaterAnswers(Metric.CONFUSABILITY, 2, np.array([0, 1]), np.array([4, 4]),
    ...     np.array([0, 0]), np.array([2, 4]), np.zeros(2), np.zeros(2, bool))
    >>> difference_to_others(answers).tolist()
    [-2.0, 2.0]
    """
    if group is None:
        return answers.differences
    counts = group[answers.raters]
    if not len(counts):
        return np.zeros(0)
    sums = np.bincount(answers.units, weights=answers.values * counts)[answers.units]
    sizes = np.bincount(answers.units, weights=counts)[answers.units] - counts
    means = np.full(len(sizes), math.nan)
    np.divide(sums - answers.values * counts, sizes, out=means, where=sizes > 0)
    differences: Floats = answers.values - means
    return differences


def mean_over_traces(values: Floats, traces: Integers, most: float = math.inf) -> Estimate:
    """The mean of values that are not nan, (M,), with an interval over traces, (M,).

    `most` is how far from 0 a value can be.
    """
    known = ~np.isnan(values)
    places = np.zeros(int(known.sum()))
    return _line(places, values[known], traces[known], has_slope=False, most=most)


def bias(answers: RaterAnswers, rater: int, group: Flags | None = None) -> Estimate:
    """How much higher a rater answers than the others on shared units, with its interval."""
    if not answers.is_ordered:
        return Estimate(None, reason=NO_ORDER)
    own = answers.raters == rater
    most = len(answers.definition.values) - 1
    return mean_over_traces(difference_to_others(answers, group)[own], answers.traces[own], most)


def drift(answers: RaterAnswers, rater: int, group: Flags | None = None) -> Drift:
    """How a rater's bias moves with time."""
    nothing = (None,) * FIFTHS
    if not answers.is_ordered:
        return Drift(nothing, Estimate(None, reason=NO_ORDER), None, None)
    own = answers.of(rater)
    if np.isnan(answers.moments[own]).any():
        return Drift(nothing, Estimate(None, reason=NO_TIMES), None, None)
    differences = difference_to_others(answers, group)
    third = len(own) // 3
    thirds = (own[:third], own[len(own) - third :])
    first, last = (
        correlation(answers.values[part], answers.values[part] - differences[part])
        for part in thirds
    )
    return Drift(*_fifths_and_change(differences[own], answers.traces[own]), first, last)


def correlation(first: Floats | Integers, second: Floats | Integers) -> float | None:
    """Pearson's correlation of pairs without nan; None where either does not vary."""
    known = ~(np.isnan(first) | np.isnan(second))
    first, second = first[known], second[known]
    if len(first) < 2 or not np.ptp(first) or not np.ptp(second):
        return None
    return float(np.corrcoef(first, second)[0, 1])


def correlation_with_others(
    answers: RaterAnswers, rater: int, group: Flags | None = None
) -> tuple[float | None, int]:
    """How a rater's answers go with the mean of the others', and on how many shared units.

    1 is the same order, 0 no connection; being stricter throughout does not lower it. Of labels it
    is Cohen's kappa with the others, each of them counted on its own.
    """
    if not answers.is_ordered:
        return _kappa_with_others(answers, rater, group)
    own = answers.raters == rater
    values = answers.values[own]
    others = values - difference_to_others(answers, group)[own]
    return correlation(values, others), int((~np.isnan(others)).sum())


def longest_run(answers: RaterAnswers, rater: int) -> LongestRun | None:
    """The longest run of one typed value in the rater's own order; None where nobody knows it."""
    own = answers.of(rater)
    own = own[~answers.is_implied[own]]
    if not len(own) or np.isnan(answers.moments[own]).any():
        return None
    values = answers.values[own]
    ends = np.flatnonzero(np.append(np.diff(values) != 0, True))
    lengths = np.diff(np.append(-1, ends))
    longest = int(np.argmax(lengths))
    value = values[ends[longest]]
    others = answers.values[(answers.raters != rater) & ~answers.is_implied]
    share = float((others == value).mean()) if len(others) else 0.0
    return LongestRun(int(lengths[longest]), answers.definition.values[value], share)


def own_variance(answers: Iterable[RaterAnswers], rater: int) -> tuple[float | None, int]:
    """The variance of a rater's typed answers within each metric, pooled, and how many they are.

    Pooled within metrics: who gives a 2 to one metric and a 4 to the other always does not vary.
    """
    squares, count, metric_count = 0.0, 0, 0
    for item in answers:
        values = item.values[(item.raters == rater) & ~item.is_implied]
        if len(values) >= 2:
            squares += float(((values - values.mean()) ** 2).sum())
            count += len(values)
            metric_count += 1
    return (squares / (count - metric_count) if metric_count else None), count


def pair_figures(answers: RaterAnswers) -> list[PairFigures]:
    """Every two raters with their meetings and their alpha on the units that both rated."""
    pairs = answers.counted.pair_tables
    tables = {
        (int(first), int(second)): table
        for first, second, table in zip(pairs.first, pairs.second, pairs.tables, strict=True)
    }
    traces = [set(answers.traces[answers.raters == r].tolist()) for r in range(answers.rater_count)]
    value_count = len(answers.definition.values)
    figures = []
    for first, second in combinations(range(answers.rater_count), 2):
        table = tables.get((first, second), np.zeros((value_count, value_count), np.int64))
        met = (table + table.T).reshape(1, -1).astype(np.float64)
        alpha = float(alphas_of(met, value_count, answers.definition.level)[0])
        reason = "" if table.any() else NO_PAIRS
        if table.any() and math.isnan(alpha):
            reason = NO_VARIATION
        figures.append(
            PairFigures(
                first,
                second,
                int(table.sum()),
                len(traces[first] & traces[second]),
                None if math.isnan(alpha) else alpha,
                reason,
            )
        )
    return figures


def _line(
    places: Floats,
    values: Floats,
    traces: Integers,
    *,
    has_slope: bool,
    most: float = math.inf,
) -> Estimate:
    """The mean of values, or the slope of values over places, with an error over whole traces.

    The error is the sandwich of residuals summed by trace, times G/(G-1) (Cameron and Miller, "A
    Practitioner's Guide to Cluster-Robust Inference", 2015, section II.B), its interval Student's t
    with G-1 degrees of freedom, G traces.
    """
    if not len(values):
        return Estimate(None, reason=NO_SHARED)
    weights = np.ones(len(values))
    if has_slope:
        weights = places - places.mean()
        if not weights.any():
            return Estimate(None, reason=NO_SHARED, answers=len(values))
    scale = float((weights * weights).sum())
    value = float(weights @ values) / scale
    residuals = values - value * weights
    if has_slope:
        residuals = residuals - values.mean()
    _, owners = np.unique(traces, return_inverse=True)
    cluster_count = int(owners.max()) + 1
    if cluster_count < 3:
        return Estimate(value, reason=FEW_TRACES, answers=len(values), traces=cluster_count)
    scores = np.bincount(owners, weights=weights * residuals)
    error = math.sqrt(cluster_count / (cluster_count - 1) * float(scores @ scores)) / scale
    reach = float(scipy.special.stdtrit(cluster_count - 1, 0.975)) * error
    low, high = value - reach, value + reach
    whole = Estimate(value, error, low, high, answers=len(values), traces=cluster_count)
    if reason := why_not_shown(value, low, high, -most, most):
        return replace(whole, low=None, high=None, reason=reason)
    return whole


def _fifths_and_change(
    differences: Floats, traces: Integers
) -> tuple[tuple[float | None, ...], Estimate]:
    """Both of differences in a rater's own order, (M,), nan where nobody else rated the unit."""
    fifths = tuple(
        float(part[~np.isnan(part)].mean()) if (~np.isnan(part)).any() else None
        for part in np.array_split(differences, FIFTHS)
    )
    places = (np.arange(len(differences)) + 0.5) / max(len(differences), 1)
    known = ~np.isnan(differences)
    return fifths, _line(places[known], differences[known], traces[known], has_slope=True)


def bias_over(
    answers: Sequence[RaterAnswers], rater: int, group: Flags, *, has_slope: bool = False
) -> Estimate:
    """The bias over several metrics of the same scale taken together, or how it changes."""
    parts = [(item, item.of(rater)) for item in answers]
    if not parts:
        return Estimate(None, reason=NO_SHARED)
    differences = np.concatenate([difference_to_others(item, group)[own] for item, own in parts])
    traces = np.concatenate([item.traces[own] for item, own in parts])
    if not has_slope:
        most = len(parts[0][0].definition.values) - 1
        return mean_over_traces(differences, traces, most)
    moments = np.concatenate([item.moments[own] for item, own in parts])
    if np.isnan(moments).any():
        return Estimate(None, reason=NO_TIMES)
    order = np.argsort(moments, kind="stable")
    return _fifths_and_change(differences[order], traces[order])[1]


def _kappa_with_others(
    answers: RaterAnswers, rater: int, group: Flags | None
) -> tuple[float | None, int]:
    value_count = len(answers.definition.values)
    others = np.ones(answers.rater_count, bool) if group is None else group.copy()
    others[rater] = False
    table = np.zeros((value_count, value_count))
    for other in np.flatnonzero(others).tolist():
        table += answers.counted.confusion(rater, other)
    units = answers.units[others[answers.raters]]
    shared = len(np.intersect1d(answers.units[answers.raters == rater], units))
    kappa = float(kappas_of(table))
    return None if math.isnan(kappa) else kappa, shared
