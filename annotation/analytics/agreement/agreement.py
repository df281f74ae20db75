"""Krippendorff's alpha from value counts.

Source: K. Krippendorff, "Computing Krippendorff's Alpha-Reliability" (2011). Letters: N units (what
is rated), V values of the scale in order, R resamples. Everything starts from value
counts: (N, V) int, how many raters gave unit n the value v. Who rated what does not matter to
alpha, so raters may rotate and gaps need no special care.
"""

import logging
import math
from dataclasses import dataclass, replace

import krippendorff
import numpy as np
import numpy.typing as npt

from annotation.engine.rubric.rubric import Level

Counts = npt.NDArray[np.integer]
Floats = npt.NDArray[np.float64]

# Units handled at a time: 16,384 x 5 floats are 0.6 MB, which stays in the processor's cache.
CHUNK_UNITS = 16_384
# What the package and our own count may differ by, which is rounding.
TOLERANCE = 1e-9

NO_RATINGS = "no ratings"
NO_PAIRS = "no item has two raters yet"
NO_VARIATION = "all ratings are the same, so agreement is undefined"

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Alpha:
    """Krippendorff's alpha, or the reason why there is none.

    `value` is 1 for perfect agreement and 0 for agreement as by chance; None when `reason` says
    why it cannot be computed. `units` counts units with two or more ratings, which are the only
    ones that count, `pairable_values` the ratings on them. `difference` is 0 unless the value is
    the `krippendorff` package's and our own count says something else.
    """

    value: float | None
    reason: str
    level: Level
    units: int
    pairable_values: int
    difference: float = 0.0


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
    table = np.asarray(counts)
    if table.ndim != 2 or table.dtype.kind not in "iu":
        raise ValueError(
            f"value counts are {table.dtype} of shape {table.shape}; expected integers (N, V)"
        )
    if table.min(initial=0) < 0:
        raise ValueError(f"a value count is {table.min()}; expected 0 or more")
    coincidences, units = coincidences_of(table)
    totals = coincidences.sum(axis=0)
    pairable = round(float(totals.sum()))
    if pairable == 0:
        reason = NO_PAIRS if table.any() else NO_RATINGS
        return Alpha(None, reason, level, 0, 0)
    if np.count_nonzero(totals) < 2:
        return Alpha(None, NO_VARIATION, level, units, pairable)
    distances = squared_distances(totals, level)
    observed = float((coincidences * distances).sum())
    expected = float(totals @ distances @ totals) / (pairable - 1)
    return Alpha(1 - observed / expected, "", level, units, pairable)


def printed_alpha(counts: Counts, level: Level) -> Alpha:
    """Alpha of value counts, (N, V) int, as the `krippendorff` package computes it.

    It is the figure that is shown, because people know the package. Ours is computed beside it:
    `difference` is how far it is off where that is more than rounding, and is logged.
    """
    own = krippendorff_alpha(counts, level)
    if own.value is None:
        return own
    package = float(krippendorff.alpha(value_counts=counts, level_of_measurement=level.value))
    difference = abs(package - own.value)
    # Not "difference > TOLERANCE": a nan of the package has to be told too.
    if difference <= TOLERANCE:
        return replace(own, value=package)
    logger.warning(
        "alpha (%s) is %r by the krippendorff package and %r by our own count",
        level.value, package, own.value,
    )  # fmt: skip
    if math.isnan(package):
        return replace(own, difference=math.inf)
    return replace(own, value=package, difference=difference)


def coincidences_of(table: Counts) -> tuple[Floats, int]:
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


def squared_distances(totals: Floats, level: Level) -> Floats:
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


def unit_coincidences(rows: Counts) -> Floats:
    value_count = rows.shape[1]
    counts = rows.astype(np.float64)
    products = counts[:, :, np.newaxis] * counts[:, np.newaxis, :]
    diagonal = np.arange(value_count)
    products[:, diagonal, diagonal] -= counts
    products /= (counts.sum(axis=1) - 1)[:, np.newaxis, np.newaxis]
    return products.reshape(len(rows), value_count**2)


def alphas_of(flat_coincidences: Floats, value_count: int, level: Level) -> Floats:
    """Alpha per resample, (R,), from coincidences (R, V * V); nan where it is undefined."""
    coincidences = flat_coincidences.reshape(-1, value_count, value_count)
    # Totals are whole numbers; sums and differences of coincidences miss them by some 1e-15, which
    # would make a value occur that does not.
    totals = np.rint(coincidences.sum(axis=1))
    distances = squared_distances(totals, level)
    observed = (coincidences * distances).sum(axis=(1, 2))
    pairable = totals.sum(axis=1)
    products = totals[:, :, np.newaxis] * totals[:, np.newaxis, :] * distances
    is_defined = np.count_nonzero(totals, axis=1) >= 2
    expected = products.sum(axis=(1, 2)) / np.where(is_defined, pairable - 1, 1)
    alphas = np.full(len(totals), math.nan)
    np.divide(observed, expected, out=alphas, where=is_defined)
    return 1 - alphas


def disagreement_scores(counts: Counts, level: Level) -> Floats:
    """The disagreement of each unit, (N,), from 0 (all alike) to 1; nan below two ratings.

    It is the mean squared distance between two ratings of the unit, as Krippendorff's alpha takes
    it at this level, over the distance between the ends of the scale. Ordinal distances depend on
    how often each value was given, so the units of one round belong in one call.

    counts: (N, V) int, the ratings of each unit by value, the scale in order.

    >>> disagreement_scores(np.array([[2, 1], [3, 0], [1, 0]]), Level.NOMINAL).round(3)
    array([0.667, 0.   ,   nan])
    >>> disagreement_scores(np.array([[1, 0, 1], [1, 1, 0]]), Level.INTERVAL)
    array([1.  , 0.25])
    """
    table = np.asarray(counts, dtype=np.int64)
    value_count = table.shape[1]
    rating_counts = table.sum(axis=1)
    is_paired = rating_counts >= 2
    paired = table[is_paired]
    scores = np.full(len(table), np.nan)
    if not len(paired):
        return scores
    distances = squared_distances(paired.sum(axis=0).astype(np.float64), level)
    widest = 1.0 if level is Level.NOMINAL else float(distances[0, -1])
    pairs = unit_coincidences(paired).reshape(-1, value_count, value_count)
    sums = (pairs * distances).sum(axis=(1, 2))
    scores[is_paired] = sums / rating_counts[is_paired] / widest
    return scores
