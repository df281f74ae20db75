"""Intervals of alpha: whole clusters are drawn anew or left out, never single events.

A cluster is what is independent: a trace, or a take where several traces share one. Letters: N
units, V values of the scale, G clusters with a paired unit, K clusters that count differently, D
draws. Alpha depends on a draw only through its summed coincidences, (V, V), so that draws are
products of matrices.
"""

import itertools
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import scipy

from annotation.analytics.agreement.agreement import (
    CHUNK_UNITS,
    Counts,
    Floats,
    alphas_of,
    unit_coincidences,
)
from annotation.engine.rubric.rubric import Level

# Summed profiles of clusters, (D, ...), to a figure of each draw, (D,): nan where it is undefined.
Figure = Callable[[Floats], Floats]

# Up to so many different draws all of them are gone through, so that nothing is left to a seed.
MAX_EXACT_DRAWS = 50_000
# Pairs of values that a difference goes through: of a thousand draws each, 500 by 500.
MAX_PAIRS = 250_000
# Cluster draws held at a time (8 MB, and as much while they are multiplied).
MAX_HELD = 1_000_000


@dataclass(frozen=True, slots=True)
class ClusterSums:
    """The clusters that have a paired unit, (G,), with their summed coincidences, (G, V * V)."""

    clusters: npt.NDArray[np.generic]
    sums: Floats


@dataclass(frozen=True, slots=True)
class Draws:
    """What to draw from: `profiles`, (K, ...) summed coincidences, each of so many clusters."""

    profiles: Floats
    multiplicities: npt.NDArray[np.int64]

    @property
    def cluster_count(self) -> int:
        return int(self.multiplicities.sum())

    @property
    def exact_count(self) -> int:
        kinds = len(self.multiplicities)
        return math.comb(self.cluster_count + kinds - 1, kinds - 1) if kinds else 0


@dataclass(frozen=True, slots=True)
class Drawn:
    """Draws: how often each of them has each kind of cluster, (D, K), and its share of all, (D,).

    `is_exact`: they are all draws that there are, else some at random.
    """

    counts: npt.NDArray[np.int64]
    shares: Floats
    is_exact: bool


@dataclass(frozen=True, slots=True)
class Distribution:
    """A figure over all draws: `values` ascending with their `shares` of all draws, (D,) each.

    Draws in which it is undefined are left out of both; `undefined_share` says how many they are.
    """

    values: Floats
    shares: Floats
    undefined_share: float
    draw_count: int
    is_exact: bool

    @classmethod
    def of(cls, values: Floats, shares: Floats, *, is_exact: bool) -> "Distribution":
        """The distribution of values, (D,), some of them nan, with their shares."""
        is_defined = ~np.isnan(values)
        # Equal values stand once; as sums of fractions they may differ in their last digits.
        _, first, places = np.unique(
            np.round(values[is_defined], 12), return_index=True, return_inverse=True
        )
        return cls(
            values=values[is_defined][first],
            shares=np.bincount(places, weights=shares[is_defined]).astype(np.float64),
            undefined_share=float(shares[~is_defined].sum()),
            draw_count=len(values),
            is_exact=is_exact,
        )

    def quantile(self, share: float) -> float | None:
        """The smallest value that this share of the defined draws does not exceed."""
        if not len(self.values):
            return None
        reached = np.cumsum(self.shares) / self.shares.sum()
        place = int(np.searchsorted(reached, share - 1e-12))
        return float(self.values[min(place, len(self.values) - 1)])

    def share_below(self, value: float) -> float:
        """The share of the defined draws below a value, those that equal it counted by half."""
        # As in `of`: what differs in its last digits is equal.
        signs = np.sign(np.round(self.values - value, 12))
        return float(((1 - signs) / 2) @ self.shares / self.shares.sum())

    @property
    def mean(self) -> float | None:
        if not len(self.values):
            return None
        return float(self.values @ self.shares / self.shares.sum())

    @property
    def p_of_zero(self) -> float:
        """Two-sided p of there being no difference; 1 where nothing is defined."""
        if not len(self.values):
            return 1.0
        total = self.shares.sum()
        below = self.shares[self.values <= 0].sum() / total
        above = self.shares[self.values >= 0].sum() / total
        # Of 1,000 draws none below 0 does not mean that it is impossible.
        least = 0.0 if self.is_exact else 1 / (self.draw_count + 1)
        return float(min(1.0, 2 * max(min(below, above), least)))


@dataclass(frozen=True, slots=True)
class Jackknife:
    """A figure with each cluster left out in turn, (G,): nan where it is then undefined."""

    without_each: Floats

    @property
    def standard_error(self) -> float | None:
        """sqrt((G - 1) / G * sum of squared distances from the mean), of those that are defined."""
        known = self.without_each[~np.isnan(self.without_each)]
        if len(known) < 2:
            return None
        spread = ((known - known.mean()) ** 2).sum()
        return float(np.sqrt((len(known) - 1) / len(known) * spread))

    @property
    def is_whole(self) -> bool:
        return not np.isnan(self.without_each).any()


def cluster_coincidences(counts: Counts, clusters: npt.NDArray[np.generic] | None) -> ClusterSums:
    """What the clusters of value counts, (N, V) int, add to alpha.

    clusters: (N,), which one each unit belongs to; None makes every unit one of its own.
    """
    paired = counts.sum(axis=1) >= 2
    rows = counts[paired]
    of_rows = np.flatnonzero(paired) if clusters is None else clusters[paired]
    found, owners = np.unique(of_rows, return_inverse=True)
    sums = np.zeros((len(found), counts.shape[1] ** 2))
    for start in range(0, len(rows), CHUNK_UNITS):
        part = slice(start, start + CHUNK_UNITS)
        np.add.at(sums, owners[part], unit_coincidences(rows[part]))
    return ClusterSums(found, sums)


def paired_sums(first: ClusterSums, second: ClusterSums) -> Floats:
    """Two settings over the same clusters side by side, (G, 2 * V * V): a draw is of both."""
    clusters = np.union1d(first.clusters, second.clusters)
    width = first.sums.shape[1]
    sums = np.zeros((len(clusters), 2 * width))
    sums[np.searchsorted(clusters, first.clusters), :width] = first.sums
    sums[np.searchsorted(clusters, second.clusters), width:] = second.sums
    return sums


def alpha_figure(value_count: int, level: Level) -> Figure:
    return lambda sums: alphas_of(sums, value_count, level)


def paired_alpha_figure(value_count: int, level: Level) -> Figure:
    """The first setting's alpha less the second's, of sums that stand side by side."""
    width = value_count**2
    return lambda sums: (
        alphas_of(sums[:, :width], value_count, level)
        - alphas_of(sums[:, width:], value_count, level)
    )


def draws_of(sums: Floats) -> Draws:
    """Draws of clusters, (G, ...): those that count alike are drawn together, as one kind."""
    # Sums of fractions that are equal may differ in their last digit.
    _, places, multiplicities = np.unique(
        np.round(sums, 9), axis=0, return_index=True, return_counts=True
    )
    return Draws(sums[places], multiplicities.astype(np.int64))


def distribution(
    draws: Draws,
    figure: Figure,
    *,
    rng: np.random.Generator,
    resamples: int,
    most_exact: int = MAX_EXACT_DRAWS,
) -> Distribution:
    """A figure over draws of as many clusters as there are, with replacement.

    `figure` takes summed profiles, (D, ...), and gives (D,). Where there are not more than
    `most_exact` different draws, the result is exact: each enters with its probability. Else
    `resamples` are drawn.
    """
    drawn = draw(draws, rng=rng, resamples=resamples, most_exact=most_exact)
    return distributions(draws.profiles, drawn, {"": figure})[""]


def draw(
    draws: Draws, *, rng: np.random.Generator, resamples: int, most_exact: int = MAX_EXACT_DRAWS
) -> Drawn:
    """Draws as `distribution` makes them; they depend on nothing but the multiplicities."""
    if draws.exact_count <= most_exact:
        return _every_draw(draws)
    total = draws.cluster_count
    drawn = rng.multinomial(total, draws.multiplicities / total, size=resamples)
    return Drawn(drawn, np.full(resamples, 1 / resamples), is_exact=False)


def distributions(
    profiles: Floats, drawn: Drawn, figures: Mapping[str, Figure]
) -> dict[str, Distribution]:
    """Several figures over the same draws, by their names; each as `distribution` gives it."""
    draw_count, kind_count = drawn.counts.shape
    values = {name: np.empty(draw_count) for name in figures}
    step = max(1, MAX_HELD // max(1, kind_count, profiles.shape[-1]))
    for start in range(0, draw_count, step):
        part = slice(start, start + step)
        summed = drawn.counts[part] @ profiles
        for name, figure in figures.items():
            values[name][part] = figure(summed)
    return {
        name: Distribution.of(found, drawn.shares, is_exact=drawn.is_exact)
        for name, found in values.items()
    }


def difference_distribution(
    first: Distribution, second: Distribution, *, most_pairs: int = MAX_PAIRS
) -> Distribution:
    """First minus second where they were drawn apart: every draw of one against each of the other.

    Where that makes more than `most_pairs`, a side stands as 500 values of equal shares.
    """
    is_exact = first.is_exact and second.is_exact
    if len(first.values) * len(second.values) > most_pairs:
        first, second, is_exact = _thinned(first), _thinned(second), False
    found = Distribution.of(
        np.subtract.outer(first.values, second.values).ravel(),
        np.multiply.outer(first.shares, second.shares).ravel(),
        is_exact=is_exact,
    )
    return replace(
        found,
        undefined_share=1 - (1 - first.undefined_share) * (1 - second.undefined_share),
        draw_count=min(first.draw_count, second.draw_count),
    )


def jackknife(sums: Floats, figure: Figure) -> Jackknife:
    """A figure of clusters, (G, ...), with each of them left out."""
    return Jackknife(figure(sums.sum(axis=0) - sums))


def _every_draw(draws: Draws) -> Drawn:
    """All draws, with their probabilities."""
    total, kinds = draws.cluster_count, len(draws.multiplicities)
    # Stars and bars: a draw is a choice of K - 1 bars among G + K - 1 places.
    chosen = itertools.chain.from_iterable(
        itertools.combinations(range(total + kinds - 1), kinds - 1)
    )
    bars = np.fromiter(chosen, dtype=np.int64).reshape(draws.exact_count, kinds - 1)
    edges = np.full((len(bars), 1), -1), bars, np.full((len(bars), 1), total + kinds - 1)
    drawn = np.diff(np.hstack(edges), axis=1) - 1
    logs = scipy.special.gammaln(total + 1) - scipy.special.gammaln(drawn + 1).sum(axis=1)
    shares = np.exp(logs + drawn @ np.log(draws.multiplicities / total))
    return Drawn(drawn, shares / shares.sum(), is_exact=True)


def _thinned(whole: Distribution, count: int = 500) -> Distribution:
    if len(whole.values) <= count:
        return whole
    reached = np.cumsum(whole.shares) / whole.shares.sum()
    places = np.searchsorted(reached, (np.arange(count) + 0.5) / count - 1e-12)
    return replace(
        whole,
        values=whole.values[np.minimum(places, len(whole.values) - 1)],
        shares=np.full(count, (1 - whole.undefined_share) / count),
    )
