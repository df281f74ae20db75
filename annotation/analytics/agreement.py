"""Krippendorff's alpha from value counts, and its bootstrap interval.

Source: K. Krippendorff, "Computing Krippendorff's Alpha-Reliability" (2011). Letters: N units (what
is rated), V values of the scale in order, R resamples, G clusters. Everything starts from value
counts: (N, V) int, how many raters gave unit n the value v. Who rated what does not matter to
alpha, so raters may rotate and gaps need no special care.
"""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from annotation.engine.rubric import Level

Counts = npt.NDArray[np.integer]
Floats = npt.NDArray[np.float64]

# Units handled at a time: 16,384 x 5 floats are 0.6 MB, which stays in the processor's cache.
CHUNK_UNITS = 16_384
# Distinct count rows are numbered directly up to this many possible rows (8 MB of tallies).
MAX_DIRECT_KEYS = 1 << 20
# Cluster draws held at a time in a bootstrap (8 MB, and as much while they are multiplied).
MAX_DRAWS = 1_000_000
# A 95% interval, as in the report.
INTERVAL_QUANTILES = (0.025, 0.975)

NO_RATINGS = "no ratings"
NO_PAIRS = "no item has two raters yet"
NO_VARIATION = "all ratings are the same, so agreement is undefined"
ONE_CLUSTER = "an interval needs ratings of at least two traces"
NEVER_DEFINED = "in every resample all ratings were the same, so there is no interval"


@dataclass(frozen=True, slots=True)
class Alpha:
    """Krippendorff's alpha, or the reason why there is none.

    `value` is 1 for perfect agreement and 0 for agreement as by chance; None when `reason` says
    why it cannot be computed. `units` counts units with two or more ratings, which are the only
    ones that count, `pairable_values` the ratings on them.
    """

    value: float | None
    reason: str
    level: Level
    units: int
    pairable_values: int


@dataclass(frozen=True, slots=True)
class Interval:
    """A bootstrap interval of alpha, or the reason why there is none.

    `undefined_resamples` counts resamples left out because they showed no variation.
    """

    low: float | None
    high: float | None
    reason: str
    resamples: int
    undefined_resamples: int
    clusters: int


@dataclass(frozen=True, slots=True)
class Patterns:
    """Distinct rows of a value-count table: `rows` (K, V) and how often each occurs, (K,)."""

    rows: npt.NDArray[np.int64]
    multiplicities: npt.NDArray[np.int64]


def krippendorff_alpha(counts: Counts, level: Level) -> Alpha:
    """Alpha of value counts: (N, V) int, where the values of the interval level are 0..V-1.

    The worked example of Krippendorff (2011), section E, has 4 raters, 12 units and 5 values and
    gives nominal 0.743, ordinal 0.815, interval 0.849:

    >>> ratings = [(1, 1, 1), (2, 2, 3, 2), (3, 3, 3, 3), (3, 3, 3, 3), (2, 2, 2, 2), (1, 2, 3, 4),
    ...            (4, 4, 4, 4), (1, 1, 2, 1), (2, 2, 2, 2), (5, 5, 5), (1, 1), (3,)]
    >>> counts = np.array([[unit.count(value) for value in range(1, 6)] for unit in ratings])
    >>> [round(krippendorff_alpha(counts, level).value, 3) for level in Level]
    [0.743, 0.815, 0.849]
    """
    table = _checked(counts)
    coincidences, units = _coincidences(table)
    totals = coincidences.sum(axis=0)
    pairable = round(float(totals.sum()))
    if pairable == 0:
        reason = NO_PAIRS if table.any() else NO_RATINGS
        return Alpha(None, reason, level, 0, 0)
    if np.count_nonzero(totals) < 2:
        return Alpha(None, NO_VARIATION, level, units, pairable)
    distances = _distances(totals, level)
    observed = float((coincidences * distances).sum())
    expected = float(totals @ distances @ totals) / (pairable - 1)
    return Alpha(1 - observed / expected, "", level, units, pairable)


def count_patterns(counts: Counts) -> Patterns:
    """The distinct rows of value counts, (N, V) int, with their multiplicities.

    >>> count_patterns(np.array([[2, 0], [1, 1], [2, 0]]))
    Patterns(rows=array([[1, 1],
           [2, 0]]), multiplicities=array([1, 2]))
    """
    table = _checked(counts)
    base = int(table.max(initial=0)) + 1
    value_count = table.shape[1]
    if base**value_count > MAX_DIRECT_KEYS:
        rows, multiplicities = np.unique(table, axis=0, return_counts=True)
        return Patterns(rows.astype(np.int64), multiplicities.astype(np.int64))
    # A row is a number in base `base`, so that counting rows is counting small numbers.
    weights = base ** np.arange(value_count - 1, -1, -1, dtype=np.int64)
    tallies = np.zeros(base**value_count, dtype=np.int64)
    for start in range(0, len(table), CHUNK_UNITS):
        keys = table[start : start + CHUNK_UNITS].astype(np.int64) @ weights
        tallies += np.bincount(keys, minlength=tallies.size)
    used = np.flatnonzero(tallies)
    return Patterns(used[:, np.newaxis] // weights % base, tallies[used])


def bootstrap_interval(
    counts: Counts,
    clusters: npt.NDArray[np.integer] | None,
    level: Level,
    rng: np.random.Generator,
    resamples: int = 1000,
) -> Interval:
    """The 95% percentile interval of alpha when whole clusters are drawn anew.

    counts: (N, V) int. clusters: (N,) int, the trace or video each unit belongs to, because events
    of one trace are not independent; None makes every unit a cluster of its own. Clusters that
    count alike are drawn together, which gives the same distribution as drawing them one by one.
    """
    profiles, multiplicities = _cluster_profiles(_checked(counts), clusters)
    cluster_count = int(multiplicities.sum())
    if cluster_count < 2:
        return Interval(None, None, ONE_CLUSTER, 0, 0, cluster_count)
    shares = multiplicities / cluster_count
    alphas = np.empty(resamples)
    step = max(1, MAX_DRAWS // len(shares))
    for start in range(0, resamples, step):
        size = min(step, resamples - start)
        draws = rng.multinomial(cluster_count, shares, size=size)
        alphas[start : start + size] = _alphas(draws @ profiles, counts.shape[1], level)
    defined = alphas[~np.isnan(alphas)]
    undefined = resamples - len(defined)
    if not len(defined):
        return Interval(None, None, NEVER_DEFINED, resamples, undefined, cluster_count)
    low, high = np.quantile(defined, INTERVAL_QUANTILES)
    return Interval(float(low), float(high), "", resamples, undefined, cluster_count)


def _checked(counts: Counts) -> Counts:
    table = np.asarray(counts)
    if table.ndim != 2 or table.dtype.kind not in "iu":
        raise ValueError(
            f"value counts are {table.dtype} of shape {table.shape}; expected integers (N, V)"
        )
    if table.min(initial=0) < 0:
        raise ValueError(f"a value count is {table.min()}; expected 0 or more")
    return table


def _coincidences(table: Counts) -> tuple[Floats, int]:
    """The coincidence matrix, (V, V), and how many units have two or more ratings.

    One unit with m ratings adds (c c' - diag(c)) / (m - 1), c its counts. Summed over units this
    is C' W C less a diagonal, so it is a matrix product; going through it in chunks keeps the
    memory constant, where the textbook form holds N x V x V numbers at once.
    """
    value_count = table.shape[1]
    products = np.zeros((value_count, value_count))
    diagonal = np.zeros(value_count)
    units = 0
    for start in range(0, len(table), CHUNK_UNITS):
        columns = table[start : start + CHUNK_UNITS].T.astype(np.float64, order="C")
        sizes = columns.sum(axis=0)
        weights = np.zeros(len(sizes))
        np.divide(1.0, sizes - 1, out=weights, where=sizes >= 2)
        units += int((sizes >= 2).sum())
        products += (columns * weights) @ columns.T
        diagonal += columns @ weights
    return products - np.diag(diagonal), units


def _distances(totals: Floats, level: Level) -> Floats:
    """Squared distances between values, (..., V, V), for totals (..., V) of each value."""
    value_count = totals.shape[-1]
    if level is Level.NOMINAL:
        return 1.0 - np.eye(value_count)
    if level is Level.INTERVAL:
        positions = np.arange(value_count, dtype=np.float64)
    else:
        # The ordinal distance sums the totals from one value to the other, each end by half. That
        # is the difference of mid-ranks.
        positions = np.cumsum(totals, axis=-1) - totals / 2
    return (positions[..., :, np.newaxis] - positions[..., np.newaxis, :]) ** 2


def _cluster_profiles(
    table: Counts, clusters: npt.NDArray[np.integer] | None
) -> tuple[Floats, npt.NDArray[np.int64]]:
    """The distinct coincidence matrices of clusters, (K, V * V), and their multiplicities.

    Units without a pair add nothing; a cluster of only such units is not a cluster of this metric.
    """
    if clusters is None:
        patterns = count_patterns(table)
        paired = patterns.rows.sum(axis=1) >= 2
        return _unit_coincidences(patterns.rows[paired]), patterns.multiplicities[paired]
    paired = table.sum(axis=1) >= 2
    _, owners = np.unique(clusters[paired], return_inverse=True)
    cluster_count = int(owners.max(initial=-1)) + 1
    rows = table[paired]
    sums = np.zeros((cluster_count, table.shape[1] ** 2))
    for start in range(0, len(rows), CHUNK_UNITS):
        part = slice(start, start + CHUNK_UNITS)
        np.add.at(sums, owners[part], _unit_coincidences(rows[part]))
    profiles, multiplicities = np.unique(sums, axis=0, return_counts=True)
    return profiles, multiplicities.astype(np.int64)


def _unit_coincidences(rows: Counts) -> Floats:
    value_count = rows.shape[1]
    counts = rows.astype(np.float64)
    products = counts[:, :, np.newaxis] * counts[:, np.newaxis, :]
    diagonal = np.arange(value_count)
    products[:, diagonal, diagonal] -= counts
    products /= (counts.sum(axis=1) - 1)[:, np.newaxis, np.newaxis]
    return products.reshape(len(rows), value_count**2)


def _alphas(flat_coincidences: Floats, value_count: int, level: Level) -> Floats:
    """Alpha per resample, (R,), from coincidences (R, V * V); nan where it is undefined."""
    coincidences = flat_coincidences.reshape(-1, value_count, value_count)
    totals = coincidences.sum(axis=1)
    distances = _distances(totals, level)
    observed = (coincidences * distances).sum(axis=(1, 2))
    pairable = totals.sum(axis=1)
    products = totals[:, :, np.newaxis] * totals[:, np.newaxis, :] * distances
    expected = products.sum(axis=(1, 2)) / (pairable - 1)
    is_defined = np.count_nonzero(totals > 0, axis=1) >= 2
    alphas = np.full(len(totals), math.nan)
    np.divide(observed, expected, out=alphas, where=is_defined)
    return 1 - alphas
