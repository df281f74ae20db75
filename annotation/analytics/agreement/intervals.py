"""Intervals and p values that are shown: by draws where there are clusters enough, else by t.

Whatever makes an interval, `why_not_shown` says whether it can be one.
"""

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

# A figure is shifted where fewer of the draws lie on one side of it, ties counted by half.
LEAST_SHARE_OF_A_SIDE = 1 / 3

# Ends are sums of fractions; what they miss a bound by that is less is rounding.
ROUNDING = 1e-9

# Krippendorff's alpha of any level, and a difference of two.
ALPHA_RANGE, ALPHA_DIFFERENCE_RANGE = (-1.0, 1.0), (-2.0, 2.0)

ONE_CLUSTER = "an interval needs ratings of two traces at least; those of one take count as one"
NEVER_DEFINED = "in every resample all ratings were the same, so there is no interval"
DEPENDS_ON_ONE_TRACE = "without one of the traces all ratings are the same, so there is no interval"
NO_SPREAD = "nearly every resample gives this figure, so there is no interval"
NOT_HELD = "resampling shifts the figure out of its own interval, so none is shown"
OUT_OF_RANGE = "the interval would go beyond what the figure can be, so none is shown"


class Method(StrEnum):
    """How an interval was made."""

    NONE = "none"
    PERCENTILE = "bootstrap"
    BIAS_CORRECTED = "bias-corrected"
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

    @property
    def has_distribution(self) -> bool:
        """Whether draws say how far the figure may be off, though no interval may be shown."""
        return self.low is not None or self.reason in (NOT_HELD, OUT_OF_RANGE)

    def shown_within(self, value: float, least: float, most: float) -> "Interval":
        """The interval if it can be one of a figure from `least` to `most`, else the reason."""
        if self.low is None or self.high is None:
            return self
        if reason := why_not_shown(value, self.low, self.high, least, most):
            return replace(self, low=None, high=None, method=Method.NONE, reason=reason)
        return replace(self, low=max(self.low, least), high=min(self.high, most))


def why_not_shown(
    value: float, low: float, high: float, least: float = -math.inf, most: float = math.inf
) -> str:
    """Why these ends can be no interval of a figure from `least` to `most`; "" where they can.

    >>> why_not_shown(0.81, 0.51, 1.11, -1, 1)
    'the interval would go beyond what the figure can be, so none is shown'
    """
    if not low - ROUNDING <= value <= high + ROUNDING:
        return NOT_HELD
    if high - low <= ROUNDING:
        return NO_SPREAD
    if low < least - ROUNDING or high > most + ROUNDING:
        return OUT_OF_RANGE
    return ""


def alpha_interval(
    counts: Counts,
    clusters: npt.NDArray[np.generic] | None,
    level: Level,
    rng: np.random.Generator,
    resamples: int = 1000,
) -> Interval:
    """The interval of alpha that is shown, of value counts, (N, V), and clusters, (N,)."""
    alpha = krippendorff_alpha(counts, level)
    sums = cluster_coincidences(counts, clusters).sums
    if alpha.value is None:
        return Interval(None, None, alpha.reason, clusters=len(sums))
    figure = alpha_figure(counts.shape[1], level)
    over_draws = distribution(draws_of(sums), figure, rng=rng, resamples=resamples)
    return shown_interval(alpha.value, over_draws, [jackknife(sums, figure)], ALPHA_RANGE)


def shown_interval(
    value: float,
    over_draws: Distribution,
    left_out: Sequence[Jackknife],
    ends: tuple[float, float] = (-math.inf, math.inf),
) -> Interval:
    """The interval that is shown of a figure whose least and greatest possible value are `ends`.

    `left_out` is the figure's jackknife, or those of both sides of a difference that were drawn
    apart. With 25 clusters or more the ends are percentiles over the draws, bias-corrected where
    resampling shifts the figure; with fewer they are value ± t times the jackknife's standard
    error. Where more than 1% of the draws are undefined, or the interval cannot be one
    (`why_not_shown`), the reason stands instead.
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
        shown = replace(none, low=low, high=high, method=Method.PERCENTILE)
        if (corrected_ends := _bias_corrected(value, over_draws)) is not None:
            low, high = corrected_ends
            shown = replace(none, low=low, high=high, method=Method.BIAS_CORRECTED)
        return shown.shown_within(value, *ends)
    if not all(item.is_whole for item in left_out):
        return replace(none, reason=DEPENDS_ON_ONE_TRACE)
    error = math.hypot(*errors)
    reach = float(scipy.special.stdtrit(_degrees(errors, counts), INTERVAL_QUANTILES[1])) * error
    shown = replace(none, low=value - reach, high=value + reach, method=Method.JACKKNIFE)
    return shown.shown_within(value, *ends)


def _bias_corrected(value: float, over_draws: Distribution) -> tuple[float, float] | None:
    """Bias-corrected percentiles of a figure that resampling shifts; None where it does not.

    Source: B. Efron, "Better Bootstrap Confidence Intervals" (1987), section 2. With fewer than
    2.5% of the draws on one side these do not hold the figure either.
    """
    below = over_draws.share_below(value)
    if LEAST_SHARE_OF_A_SIDE <= below <= 1 - LEAST_SHARE_OF_A_SIDE:
        return None
    shares = scipy.special.ndtr(
        2 * scipy.special.ndtri(below) + scipy.special.ndtri(INTERVAL_QUANTILES)
    )
    low, high = (over_draws.quantile(float(share)) for share in shares)
    return None if low is None or high is None else (low, high)


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
