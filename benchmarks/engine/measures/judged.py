"""How grades of judges and people agree: coefficients, consensus, samples to grade.

Source: EgoErrorVQA, 6.4 and Appendix D, Table 6. A grade that could not be read is no 0.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import mean

import numpy as np
import numpy.typing as npt
import scipy

from annotation.analytics.agreement.answers import Answers
from annotation.analytics.agreement.coefficients import Weights, fleiss_kappa, pair_kappas
from annotation.analytics.raters.raters import correlation
from benchmarks.engine.measures.grades import HIGHEST

GRADES = HIGHEST + 1
Floats = npt.NDArray[np.float64]
ONE_VALUE = "both raters used one and the same value"
NOBODY = "nothing has both grades"
QUADRATIC, BIAS = "cohen_quadratic", "bias"
NEVER_VARIES = "one side never varies"


@dataclass(frozen=True, slots=True)
class Coefficient:
    """A coefficient over `count` rows, or `reason` why there is none."""

    value: float | None
    count: int
    reason: str = ""


def grades_column(grades: Sequence[float | None]) -> Floats:
    """Grades as numbers, nan for none."""
    return np.array([np.nan if value is None else value for value in grades], dtype=np.float64)


def of_pair(first: Floats, second: Floats) -> dict[str, Coefficient]:
    """Cohen's kappa, that with quadratic weights, and correlations, where both gave a grade."""
    both = ~(np.isnan(first) | np.isnan(second))
    first, second = first[both], second[both]
    if not both.any():
        names = ("cohen", QUADRATIC, *correlations(first, second))
        return dict.fromkeys(names, Coefficient(None, 0, NOBODY))
    # Means of several grades are no grades; their nearest one is.
    table = np.rint(np.column_stack([first, second])).astype(np.int64)
    kappas = {}
    for name, weights in (("cohen", Weights.IDENTITY), (QUADRATIC, Weights.QUADRATIC)):
        value = float(pair_kappas(Answers.of_table(table, GRADES), weights).kappas[0])
        kappas[name] = _coefficient(value, len(first), ONE_VALUE)
    return {**kappas, **correlations(first, second)}


def with_consensus(consensus: Floats, judge: Floats) -> dict[str, Coefficient]:
    """A judge beside people's consensus: correlations, the weighted kappa, and the bias."""
    apart = judge - consensus
    known = int((~np.isnan(apart)).sum())
    bias = _coefficient(float(np.nanmean(apart)) if known else None, known, NOBODY)
    found = of_pair(consensus, judge)
    return {**{name: one for name, one in found.items() if name != "cohen"}, BIAS: bias}


def correlations(first: Floats, second: Floats) -> dict[str, Coefficient]:
    """Pearson's correlation, and Spearman's, which is that of mid-ranks."""
    known = ~(np.isnan(first) | np.isnan(second))
    first, second = first[known], second[known]
    values = {
        "pearson": correlation(first, second),
        "spearman": correlation(scipy.stats.rankdata(first), scipy.stats.rankdata(second)),
    }
    return {name: _coefficient(value, len(first), NEVER_VARIES) for name, value in values.items()}


def of_pairs(raters: Mapping[str, Floats]) -> dict[tuple[str, str], dict[str, Coefficient]]:
    """The coefficients of every two raters, over the same rows each."""
    return {pair: of_pair(raters[pair[0]], raters[pair[1]]) for pair in combinations(raters, 2)}


def mean_of(coefficients: Sequence[Coefficient]) -> float | None:
    """The mean of those that are defined, as Table 6 prints it under *All*."""
    defined = [one.value for one in coefficients if one.value is not None]
    return mean(defined) if defined else None


def fleiss(raters: Mapping[str, Floats]) -> Coefficient:
    """Fleiss' kappa over the rows that all raters graded."""
    whole = np.column_stack(list(raters.values()))
    complete = whole[~np.isnan(whole).any(axis=1)].astype(np.int64)
    value = fleiss_kappa(Answers.of_table(complete, GRADES).counts)
    return _coefficient(value, len(complete), ONE_VALUE)


def majority(grades: Sequence[float | None]) -> float | None:
    """The grade that more than half of the people gave who graded it; None is to be discussed."""
    given = [grade for grade in grades if grade is not None]
    return next((grade for grade in given if 2 * given.count(grade) > len(given)), None)


def band_of(grades: Sequence[float]) -> str:
    """The third of the scale that the mean of an answer's grades lies in, for strata.

    >>> band_of([1, 2]), band_of([5, 3]), band_of([])
    ('2-3', '4-5', 'not graded')
    """
    if not grades:
        return "not graded"
    middle = mean(grades)
    return "0-1" if middle < 1.5 else "2-3" if middle < 3.5 else "4-5"


def stratified(strata: Sequence[tuple[str, ...]], size: int, seed: int) -> list[int]:
    """So many places at random, as evenly from the strata as they have places, in random order.

    >>> sorted(stratified([("a",), ("a",), ("a",), ("b",)], 2, 1))[-1]
    3
    """
    rng = np.random.default_rng([seed, 6])
    order = [int(place) for place in rng.permutation(len(strata))]
    rank_in_stratum: dict[tuple[str, ...], int] = {}
    ranks = []
    for place in order:
        ranks.append(rank_in_stratum.get(strata[place], 0))
        rank_in_stratum[strata[place]] = ranks[-1] + 1
    # The first of every stratum, then the second of each that has one, until there are enough.
    taken = sorted(range(len(order)), key=lambda one: ranks[one])[:size]
    return [order[one] for one in sorted(taken)]


def _coefficient(value: float | None, count: int, reason: str) -> Coefficient:
    if value is None or np.isnan(value):
        return Coefficient(None, count, reason)
    return Coefficient(float(value), count)
