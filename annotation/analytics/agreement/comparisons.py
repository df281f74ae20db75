"""Differences of alpha between data sets, and between rounds before and after a guideline change.

Data sets of the same takes are resampled together, one draw for both sides; otherwise each side
is resampled by itself. Several metrics are one family, whose p values are corrected together.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from operator import attrgetter

import numpy as np

from annotation.analytics.agreement.agreement import printed_alpha
from annotation.analytics.agreement.intervals import (
    ALPHA_DIFFERENCE_RANGE,
    Interval,
    corrected,
    p_of_no_difference,
    shown_interval,
)
from annotation.analytics.agreement.metric_ratings import MetricRatings
from annotation.analytics.agreement.report import RESAMPLES, Cell, report_rng
from annotation.analytics.agreement.resampling import (
    ClusterSums,
    Distribution,
    Jackknife,
    alpha_figure,
    cluster_coincidences,
    difference_distribution,
    distribution,
    draws_of,
    jackknife,
    paired_alpha_figure,
    paired_sums,
)
from annotation.engine.rubric.rubric import Metric

ON_SHARED_TAKES = "over the same takes, drawn together"
APART = "over different takes, drawn apart"
ON_SHARED_UNITS = "on what was rated in both rounds, drawn together"
OTHER_UNITS = (
    "nothing was rated in both rounds: the difference is of the guideline and of the traces"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """First minus second alpha of one metric, or the reason why there is no difference to show.

    `dataset` is that of both where rounds are compared. `p_value` is two-sided; `corrected_p` is it
    after Benjamini and Hochberg over the `family_size` differences that were asked for together.
    `basis` says how the two were set against each other, `rated_in` the round of two data sets.
    """

    dataset: str
    metric: Metric
    rated_in: str
    first: str
    second: str
    first_alpha: float | None
    second_alpha: float | None
    difference: float | None = None
    interval: Interval
    is_paired: bool
    basis: str
    p_value: float | None = None
    reason: str = ""
    corrected_p: float | None = None
    family_size: int = 0
    is_exploratory: bool = False

    def to_dict(self) -> dict[str, Cell]:
        return {column: attrgetter(path)(self) for column, path in COLUMNS.items()}


# Where in a comparison each column of JSON stands.
COLUMNS = {
    "dataset": "dataset",
    "metric": "metric",
    "rated_in": "rated_in",
    "first": "first",
    "second": "second",
    "first_alpha": "first_alpha",
    "second_alpha": "second_alpha",
    "difference": "difference",
    "difference_low": "interval.low",
    "difference_high": "interval.high",
    "interval_method": "interval.method",
    "interval_reason": "interval.reason",
    "undefined_share": "interval.undefined_share",
    "clusters": "interval.clusters",
    "is_paired": "is_paired",
    "basis": "basis",
    "p_value": "p_value",
    "corrected_p": "corrected_p",
    "family_size": "family_size",
    "reason": "reason",
    "is_exploratory": "is_exploratory",
}


def compare_all(
    pairs: Iterable[tuple[MetricRatings, MetricRatings]],
    *,
    seed: int = 0,
    resamples: int = RESAMPLES,
) -> tuple[Comparison, ...]:
    found = [compare(first, second, seed=seed, resamples=resamples) for first, second in pairs]
    known = [item.p_value for item in found if item.p_value is not None]
    adjusted = iter(corrected(known))
    return tuple(
        replace(
            item,
            corrected_p=None if item.p_value is None else next(adjusted),
            family_size=len(known),
        )
        for item in found
    )


def compare(
    first: MetricRatings, second: MetricRatings, *, seed: int = 0, resamples: int = RESAMPLES
) -> Comparison:
    """First minus second alpha of one metric. Two rounds are compared on what both rated."""
    if first.dataset == second.dataset:
        names, rated_in = (first.basis.text, second.basis.text), ""
        first, second, basis = _on_shared_units(first, second)
    else:
        names, basis = (first.dataset, second.dataset), APART
        rated_in = first.basis.text if first.basis == second.basis else ""
    sides = [
        cluster_coincidences(side.counts, np.array(side.takes, dtype=str)[side.clusters])
        for side in (first, second)
    ]
    is_paired = bool(np.isin(sides[0].clusters, sides[1].clusters).any())
    if is_paired and basis == APART:
        basis = ON_SHARED_TAKES
    alphas = [printed_alpha(side.counts, side.definition.level) for side in (first, second)]
    nothing = Comparison(
        dataset=first.dataset if first.dataset == second.dataset else "",
        metric=first.metric,
        rated_in=rated_in,
        first=names[0],
        second=names[1],
        first_alpha=alphas[0].value,
        second_alpha=alphas[1].value,
        interval=Interval(None, None, ""),
        is_paired=is_paired,
        basis=basis,
    )
    if alphas[0].value is None or alphas[1].value is None:
        reason = alphas[0].reason or alphas[1].reason
        return replace(nothing, reason=reason, interval=Interval(None, None, reason))
    value = alphas[0].value - alphas[1].value
    rng = report_rng(seed, f"{names[0]}\0{names[1]}", first.metric)
    over_draws, left_out = _drawn(first, sides, is_paired, rng, resamples)
    interval = shown_interval(value, over_draws, left_out, ALPHA_DIFFERENCE_RANGE)
    p_value = None
    if interval.has_distribution:
        p_value = p_of_no_difference(value, over_draws, left_out)
    return replace(nothing, difference=value, interval=interval, p_value=p_value)


def _on_shared_units(
    first: MetricRatings, second: MetricRatings
) -> tuple[MetricRatings, MetricRatings, str]:
    """Two rounds on the units that have two ratings or more in both, and whether there are any."""
    shared = np.intersect1d(*(side.keys[side.counts.sum(axis=1) >= 2] for side in (first, second)))
    if not len(shared):
        return first, second, OTHER_UNITS
    first, second = (side.of_units(np.isin(side.keys, shared)) for side in (first, second))
    return first, second, ON_SHARED_UNITS


def _drawn(
    first: MetricRatings,
    sides: list[ClusterSums],
    is_paired: bool,
    rng: np.random.Generator,
    resamples: int,
) -> tuple[Distribution, list[Jackknife]]:
    """The difference over draws, and the jackknives of what was drawn by itself."""
    value_count, level = first.answers.value_count, first.definition.level
    if is_paired:
        sums = paired_sums(*sides)
        figure = paired_alpha_figure(value_count, level)
        drawn = distribution(draws_of(sums), figure, rng=rng, resamples=resamples)
        return drawn, [jackknife(sums, figure)]
    figure = alpha_figure(value_count, level)
    apart = [
        distribution(draws_of(side.sums), figure, rng=rng, resamples=resamples) for side in sides
    ]
    return difference_distribution(*apart), [jackknife(side.sums, figure) for side in sides]
