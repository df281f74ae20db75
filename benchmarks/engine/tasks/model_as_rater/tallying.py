"""The headline figures of a model as rater: its alpha with each person, on the test part.

Sums are coincidences of pairs of model and person, which add up over drawn takes. Letters: G takes,
V values of a scale, H people.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from annotation.analytics.agreement.agreement import alphas_of
from annotation.engine.rubric.rubric import Level
from benchmarks.engine.measures.counts import cluster_names
from benchmarks.engine.measures.ratios import mean_of_defined, ratio
from benchmarks.engine.task import Answered, Figure, Item, Tally
from benchmarks.engine.tasks.model_as_rater.columns import CALIBRATION, columns_of

Floats = npt.NDArray[np.float64]


def tally_of(items: Sequence[Item], answers: Sequence[Answered]) -> Tally:
    """The tally of the items that the model was not calibrated on."""
    names, _ = cluster_names(items)
    kept = [row for row, item in enumerate(items) if item.part != CALIBRATION]
    by_metric = columns_of([items[row] for row in kept], [answers[row] for row in kept])
    parts: list[Floats] = []
    figures: dict[str, Figure] = {}
    alphas: list[Figure] = []
    start = 0
    for metric, columns in by_metric.items():
        if not columns.names:
            return Tally(names, np.zeros((len(names), 1)), {})
        value_count = len(columns.definition.values)
        takes = np.searchsorted(names, columns.takes)
        sums = [
            pair_coincidences(columns.model, person, takes, value_count, len(names))
            for person in columns.people.T
        ]
        width = value_count**2
        parts += sums
        places = slice(start, start + width * len(sums))
        alpha = _mean_alpha(places, value_count, columns.definition.level)
        figures[f"alpha_{metric.value}"] = alpha
        alphas.append(alpha)
        start = places.stop
    # Per take the pairs that agree and all pairs, each counted in both orders.
    pairs = np.zeros((len(names), 2))
    for part in parts:
        width = round(part.shape[1] ** 0.5)
        pairs[:, 0] += part.reshape(len(part), width, -1).trace(axis1=1, axis2=2)
        pairs[:, 1] += part.sum(axis=1)
    figures["alpha_mean"] = lambda sums: _mean_of([alpha(sums) for alpha in alphas], len(sums))
    figures["agreement"] = lambda sums: ratio(sums[:, -2], sums[:, -1])
    return Tally(names, np.hstack([*parts, pairs]), figures)


def pair_coincidences(
    first: Floats,
    second: Floats,
    clusters: npt.NDArray[np.int64],
    value_count: int,
    cluster_count: int,
) -> Floats:
    """Coincidences of two raters' values, (N,) each with nan for none, by cluster: (G, V * V)."""
    both = ~np.isnan(first) & ~np.isnan(second)
    ones, others = first[both].astype(np.int64), second[both].astype(np.int64)
    sums = np.zeros((cluster_count, value_count**2))
    # A pair counts in both orders.
    np.add.at(sums, (clusters[both], ones * value_count + others), 1.0)
    np.add.at(sums, (clusters[both], others * value_count + ones), 1.0)
    return sums


def mean_alpha(sums: Floats, value_count: int, level: Level) -> Floats:
    """The mean of the defined alphas of pairs of raters, (D, pairs * V * V) to (D,)."""
    pairs = sums.reshape(-1, value_count**2)
    alphas = alphas_of(pairs, value_count, level).reshape(len(sums), -1)
    return _mean_of(list(alphas.T), len(sums))


def _mean_alpha(places: slice, value_count: int, level: Level) -> Figure:
    return lambda sums: mean_alpha(sums[:, places], value_count, level)


def _mean_of(columns: Sequence[Floats], draw_count: int) -> Floats:
    return mean_of_defined(np.stack(columns)) if columns else np.full(draw_count, np.nan)
