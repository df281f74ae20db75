"""How far apart the ratings of one unit are, to bring the most telling ones first.

Letters: N units (events or traces), V values of the metric's scale.
"""

import numpy as np
import numpy.typing as npt

from annotation.analytics.agreement import squared_distances, unit_coincidences
from annotation.engine.rubric import Level

Counts = npt.NDArray[np.integer]
Floats = npt.NDArray[np.float64]


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
