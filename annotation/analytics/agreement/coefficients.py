"""Agreement beside Krippendorff's alpha: percent agreement, Gwet, Fleiss, Conger, Cohen.

Letters as in `answers`: N units, M raters, V values of the declared scale, P pairs of raters. V
counts the scale's values whether used or not. What cannot be computed is None.

Sources: K. L. Gwet, "Computing inter-rater reliability and its variance in the presence of high
agreement" (2008), for AC1 and AC2; J. L. Fleiss (1971), A. J. Conger (1980), J. Cohen (1960, 1968),
with the shares of units that not everybody rated taken as in Gwet's "Handbook of Inter-Rater
Reliability".
"""

from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np
import numpy.typing as npt

from annotation.analytics.agreement.answers import Answers
from annotation.engine.rubric.rubric import Level

Counts = npt.NDArray[np.integer]
Floats = npt.NDArray[np.float64]


class Weights(StrEnum):
    """How much two values that differ still agree."""

    IDENTITY = "identity"
    LINEAR = "linear"
    QUADRATIC = "quadratic"
    ORDINAL = "ordinal"


@dataclass(frozen=True, slots=True)
class PairKappas:
    """Cohen's kappa of every two raters, (P,): nan where they never met or never varied."""

    first: npt.NDArray[np.int64]
    second: npt.NDArray[np.int64]
    kappas: Floats

    @property
    def mean(self) -> float | None:
        """Light's kappa: the mean over the pairs that have one."""
        known = self.kappas[~np.isnan(self.kappas)]
        return float(known.mean()) if len(known) else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Coefficients:
    """Every coefficient of one table of answers. Weighted ones are None where values have no order.

    `mean_kappa` and its weighted forms are means of Cohen's kappa over pairs of raters.
    """

    percent_agreement: float | None
    percent_agreement_pooled: float | None
    ac1: float | None
    ac2_linear: float | None = None
    ac2_quadratic: float | None = None
    ac2_ordinal: float | None = None
    fleiss_kappa: float | None
    conger_kappa: float | None
    mean_kappa: float | None
    mean_kappa_linear: float | None = None
    mean_kappa_quadratic: float | None = None

    def suited(self, level: Level) -> tuple[str, float | None, float | None]:
        """The name of Gwet's coefficient that suits a scale, its value, and that of the kappa.

        Both are weighted on scales whose values have an order, with quadratic weights.
        """
        if level is Level.NOMINAL:
            return "AC1", self.ac1, self.mean_kappa
        return "AC2", self.ac2_quadratic, self.mean_kappa_quadratic


def coefficients(answers: Answers, *, is_ordered: bool) -> Coefficients:
    counts = answers.counts
    found = Coefficients(
        percent_agreement=percent_agreement(counts),
        percent_agreement_pooled=pooled_agreement(counts),
        ac1=gwet_ac(counts),
        fleiss_kappa=fleiss_kappa(counts),
        conger_kappa=conger_kappa(answers),
        mean_kappa=pair_kappas(answers).mean,
    )
    if not is_ordered:
        return found
    return replace(
        found,
        ac2_linear=gwet_ac(counts, Weights.LINEAR),
        ac2_quadratic=gwet_ac(counts, Weights.QUADRATIC),
        ac2_ordinal=gwet_ac(counts, Weights.ORDINAL),
        mean_kappa_linear=pair_kappas(answers, Weights.LINEAR).mean,
        mean_kappa_quadratic=pair_kappas(answers, Weights.QUADRATIC).mean,
    )


def weight_table(weights: Weights, value_count: int) -> Floats:
    """The weight of every two values, (V, V), 1 on the diagonal."""
    places = np.arange(value_count, dtype=np.float64)
    apart: Floats = np.abs(places[:, np.newaxis] - places)
    if weights is Weights.IDENTITY:
        return np.eye(value_count)
    if weights is Weights.LINEAR:
        return 1 - apart / (value_count - 1)
    if weights is Weights.QUADRATIC:
        return 1 - (apart / (value_count - 1)) ** 2
    return 1 - (apart + 1) * apart / (value_count * (value_count - 1))


def percent_agreement(counts: Counts, weights: Weights = Weights.IDENTITY) -> float | None:
    """The share of pairs that agree, averaged over the units with two ratings or more."""
    agreeing, pairs = _agreeing_pairs(counts, weights)
    return float((agreeing / pairs).mean()) if len(pairs) else None


def pooled_agreement(counts: Counts) -> float | None:
    """All pairs that agree among all pairs, so that a unit counts by its number of pairs."""
    agreeing, pairs = _agreeing_pairs(counts, Weights.IDENTITY)
    return float(agreeing.sum() / pairs.sum()) if len(pairs) else None


def gwet_ac(counts: Counts, weights: Weights = Weights.IDENTITY) -> float | None:
    """AC1, or AC2 with other weights than the identity. Chance counts single ratings too."""
    observed = percent_agreement(counts, weights)
    if observed is None:
        return None
    value_count = counts.shape[1]
    shares = _mean_shares(counts)
    spread = float((shares * (1 - shares)).sum()) / (value_count * (value_count - 1))
    return _above_chance(observed, float(weight_table(weights, value_count).sum()) * spread)


def fleiss_kappa(counts: Counts) -> float | None:
    observed = percent_agreement(counts)
    if observed is None:
        return None
    return _above_chance(observed, float((_mean_shares(counts) ** 2).sum()))


def conger_kappa(answers: Answers) -> float | None:
    """Kappa of several raters with chance from the own shares of each; Cohen's for two."""
    observed = percent_agreement(answers.counts)
    given = answers.rater_counts[answers.rater_counts.sum(axis=1) > 0]
    if observed is None or len(given) < 2:
        return None
    shares = given / given.sum(axis=1, keepdims=True)
    means = shares.mean(axis=0)
    variances = (shares**2).sum(axis=0) - len(given) * means**2
    chance = float((means**2 - variances / (len(given) * (len(given) - 1))).sum())
    return _above_chance(observed, chance)


def pair_kappas(answers: Answers, weights: Weights = Weights.IDENTITY) -> PairKappas:
    """Cohen's kappa over the shared units of every two raters who share one."""
    pairs = answers.pair_tables
    distances = 1 - weight_table(weights, answers.value_count)
    tables = pairs.tables.astype(np.float64)
    totals = tables.sum(axis=(1, 2))
    rows, columns = tables.sum(axis=2), tables.sum(axis=1)
    observed = np.einsum("pij,ij->p", tables, distances) / totals
    expected = np.einsum("pi,pj,ij->p", rows, columns, distances) / totals**2
    kappas = np.full(len(tables), np.nan)
    np.divide(observed, expected, out=kappas, where=expected > 0)
    return PairKappas(pairs.first, pairs.second, 1 - kappas)


def _agreeing_pairs(counts: Counts, weights: Weights) -> tuple[Floats, Floats]:
    """The agreeing pairs and all pairs of each paired unit, counted from both ends."""
    sizes = counts.sum(axis=1)
    paired = counts[sizes >= 2].astype(np.float64)
    sizes = sizes[sizes >= 2]
    agreeing = (paired * (paired @ weight_table(weights, counts.shape[1]) - 1)).sum(axis=1)
    return agreeing, (sizes * (sizes - 1)).astype(np.float64)


def _mean_shares(counts: Counts) -> Floats:
    """The share of each value, (V,), averaged over all units that somebody rated."""
    sizes = counts.sum(axis=1)
    rated = sizes > 0
    shares: Floats = (counts[rated] / sizes[rated, np.newaxis]).mean(axis=0)
    return shares


def _above_chance(observed: float, chance: float) -> float | None:
    # Shares are sums of fractions, which miss a whole 1 by some 1e-16.
    return None if 1 - chance < 1e-12 else (observed - chance) / (1 - chance)


def kappas_of(tables: Floats) -> Floats:
    """Cohen's kappa of tables, (..., V, V): nan where one side of chance is certain.

    Source: J. Cohen, A Coefficient of Agreement for Nominal Scales (1960).
    """
    totals = tables.sum(axis=(-2, -1))
    products = (tables.sum(axis=-1) * tables.sum(axis=-2)).sum(axis=-1)
    return kappas_of_sums(np.trace(tables, axis1=-2, axis2=-1), totals, products)


def kappas_of_sums(same: Floats, totals: Floats, products: Floats) -> Floats:
    """Kappa of each table from the sum of its diagonal, its total, and rows times columns."""
    safe = np.where(totals > 0, totals, 1.0)
    chance = products / safe**2
    is_defined = (totals > 0) & (1 - chance > 1e-12)
    kappas = np.full(np.shape(chance), np.nan)
    np.divide(same / safe - chance, 1 - chance, out=kappas, where=is_defined)
    return kappas
