"""Intervals and p values that are shown: by draws where there are clusters enough, else by t."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np
import numpy.typing as npt
import scipy

from annotation.analytics.agreement.agreement import Counts, krippendorff_alpha
from annotation.analytics.agreement.resampling import (
    Distribution,
    Jackknife,
    alpha_figure,
    cluster_coincidences,
    distribution,
    draws_of,
    jackknife,
)
from annotation.engine.rubric.rubric import Level

# A 95% interval, as in the report.
INTERVAL_QUANTILES = (0.025, 0.975)

# Below it a percentile interval is too narrow: measured coverage .84 to .93 where .95 is promised.
LEAST_CLUSTERS_FOR_PERCENTILES = 25

# Above it what is left of the draws says too little. Shares are sums of fractions, which miss 1% by
# some 1e-18.
MOST_UNDEFINED = 0.01 + 1e-12

ONE_CLUSTER = "an interval needs ratings of at least two traces"
NEVER_DEFINED = "in every resample all ratings were the same, so there is no interval"
DEPENDS_ON_ONE_TRACE = "without one of the traces all ratings are the same, so there is no interval"


class Method(StrEnum):
    """How an interval was made."""

    NONE = "none"
    PERCENTILE = "bootstrap"
    JACKKNIFE = "jackknife-t"


@dataclass(frozen=True, slots=True)
class Interval:
    """A 95% interval of alpha or of a difference, or the reason why none is shown.

    `percentile_low` and `percentile_high` are the ends over all draws whichever `method` was used.
    """

    low: float | None
    high: float | None
    reason: str
    method: Method = Method.NONE
    clusters: int = 0
    draws: int = 0
    undefined_share: float = 0.0
    percentile_low: float | None = None
    percentile_high: float | None = None
    standard_error: float | None = None


def alpha_interval(
    counts: Counts,
    clusters: npt.NDArray[np.generic] | None,
    level: Level,
    rng: np.random.Generator,
    resamples: int = 1000,
) -> Interval:
    """The interval of alpha that is shown, of value counts, (N, V), and clusters, (N,).

    A t interval may reach beyond 1, which alpha cannot: it ends there.
    """
    alpha = krippendorff_alpha(counts, level)
    sums = cluster_coincidences(counts, clusters).sums
    if alpha.value is None:
        return Interval(None, None, alpha.reason, clusters=len(sums))
    figure = alpha_figure(counts.shape[1], level)
    over_draws = distribution(draws_of(sums), figure, rng=rng, resamples=resamples)
    shown = shown_interval(alpha.value, over_draws, [jackknife(sums, figure)])
    return shown if shown.high is None else replace(shown, high=min(shown.high, 1.0))


def shown_interval(
    value: float, over_draws: Distribution, left_out: Sequence[Jackknife]
) -> Interval:
    """The interval that is shown of a figure, by a rule that does not look at the ends.

    `left_out` is the figure's jackknife, or those of both sides of a difference that were drawn
    apart. With 25 clusters or more the ends are percentiles over the draws; with fewer they are
    value ± t times the jackknife's standard error. Where more than 1% of the draws are undefined
    the reason stands instead.
    """
    counts = [len(item.without_each) for item in left_out]
    errors = [item.standard_error or 0.0 for item in left_out]
    low, high = (over_draws.quantile(share) for share in INTERVAL_QUANTILES)
    none = Interval(
        low=None,
        high=None,
        reason="",
        clusters=sum(counts),
        draws=over_draws.draw_count,
        undefined_share=over_draws.undefined_share,
        percentile_low=low,
        percentile_high=high,
        standard_error=math.hypot(*errors) if min(counts) >= 2 else None,
    )
    if min(counts) < 2:
        return replace(none, reason=ONE_CLUSTER)
    if low is None:
        return replace(none, reason=NEVER_DEFINED)
    if over_draws.undefined_share > MOST_UNDEFINED:
        share = f"{100 * over_draws.undefined_share:.1f}%"
        return replace(none, reason=f"{share} of the resamples have no variation: no interval")
    if min(counts) >= LEAST_CLUSTERS_FOR_PERCENTILES:
        return replace(none, low=low, high=high, method=Method.PERCENTILE)
    if not all(item.is_whole for item in left_out):
        return replace(none, reason=DEPENDS_ON_ONE_TRACE)
    error = math.hypot(*errors)
    reach = float(scipy.special.stdtrit(_degrees(errors, counts), INTERVAL_QUANTILES[1])) * error
    return replace(none, low=value - reach, high=value + reach, method=Method.JACKKNIFE)


def p_of_no_difference(
    value: float, over_draws: Distribution, left_out: Sequence[Jackknife]
) -> float:
    """Two-sided p of a difference, by the same method as its interval."""
    counts = [len(item.without_each) for item in left_out]
    if min(counts) >= LEAST_CLUSTERS_FOR_PERCENTILES:
        return over_draws.p_of_zero
    errors = [item.standard_error or 0.0 for item in left_out]
    error = math.hypot(*errors)
    if not error:
        return 0.0 if value else 1.0
    return 2 * float(scipy.special.stdtr(_degrees(errors, counts), -abs(value) / error))


def corrected(p_values: Sequence[float]) -> tuple[float, ...]:
    """P values of one family after Benjamini and Hochberg (1995), in their order.

    >>> corrected([0.01, 0.04, 0.03])
    (0.03, 0.04, 0.04)
    """
    count = len(p_values)
    order = sorted(range(count), key=lambda place: p_values[place], reverse=True)
    adjusted = [1.0] * count
    least = 1.0
    for rank, place in zip(range(count, 0, -1), order, strict=True):
        least = min(least, p_values[place] * count / rank)
        adjusted[place] = least
    return tuple(adjusted)


def _degrees(errors: Sequence[float], counts: Sequence[int]) -> float:
    """Degrees of freedom: G - 1 of one side, those of Welch and Satterthwaite of two."""
    if not any(errors):
        return min(counts) - 1
    parts = (error**4 / (count - 1) for error, count in zip(errors, counts, strict=True))
    return math.hypot(*errors) ** 4 / sum(parts)
