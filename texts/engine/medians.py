"""The median time of a verdict, with an interval over draws of recordings."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from annotation.analytics.agreement.intervals import (
    INTERVAL_QUANTILES,
    LEAST_CLUSTERS_FOR_PERCENTILES,
    Interval,
    Method,
    why_not_shown,
)

NO_SECONDS = "nothing to compute it from"
# The jackknife, which other figures have with fewer, is not consistent for a median (R. G. Miller,
# "The jackknife - a review", 1974, section 2).
TOO_FEW = f"an interval of a median needs at least {LEAST_CLUSTERS_FOR_PERCENTILES} recordings"
# So many repetitions of values are counted at a time (8 MB).
MOST_HELD = 1_000_000


@dataclass(frozen=True, slots=True)
class Median:
    """A median in s, None of nothing, with its interval."""

    value: float | None
    interval: Interval


def median_of(
    rows: Iterable[tuple[int, float]], rng: np.random.Generator, resamples: int
) -> Median:
    """The median of the seconds of all rows, each with the recording that it is of."""
    table = np.array(sorted(rows, key=lambda row: row[1]), dtype=np.float64).reshape(-1, 2)
    if not len(table):
        return Median(None, Interval(None, None, NO_SECONDS))
    recordings, owners = np.unique(table[:, 0], return_inverse=True)
    seconds, count = table[:, 1], len(recordings)
    value = float(np.median(seconds))
    if count < LEAST_CLUSTERS_FOR_PERCENTILES:
        return Median(value, Interval(None, None, TOO_FEW, clusters=count))
    drawn = rng.multinomial(count, np.full(count, 1 / count), size=resamples)
    low, high = np.quantile(_medians(seconds, owners, drawn), INTERVAL_QUANTILES).tolist()
    if reason := why_not_shown(value, low, high, 0.0):
        return Median(value, Interval(None, None, reason, clusters=count, draws=resamples))
    interval = Interval(low, high, "", Method.PERCENTILE, clusters=count, draws=resamples)
    return Median(value, interval)


def _medians(
    seconds: npt.NDArray[np.float64], owners: npt.NDArray[np.intp], drawn: npt.NDArray[np.int64]
) -> npt.NDArray[np.float64]:
    """The median of each draw, (D,), of ascending seconds, (V,).

    owners: (V,), the recording of each; drawn: (D, G), how often each recording was drawn.
    """
    step = max(1, MOST_HELD // len(seconds))
    medians = []
    for start in range(0, len(drawn), step):
        reached = np.cumsum(drawn[start : start + step, owners], axis=1)
        totals = reached[:, -1:]
        below, above = (
            seconds[(reached <= rank).sum(axis=1)] for rank in ((totals - 1) // 2, totals // 2)
        )
        medians.append((below + above) / 2)
    return np.concatenate(medians)
