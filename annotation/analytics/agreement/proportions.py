"""Shares of right answers: the interval of one, and whether two on the same rows differ."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy

CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True)
class Discordance:
    """What of the same rows only the first has right, or only the second, and the exact p.

    `p` is two-sided: how often a fair coin divides the rows that only one has right so unevenly. It
    is 1 without such rows.
    """

    only_first: int
    only_second: int
    p: float


def wilson_interval(hits: int, count: int) -> tuple[float, float] | None:
    """The 95% interval of a share of independent rows; None without rows.

    Source: E. B. Wilson (1927), without continuity correction.
    """
    if not count:
        return None
    interval = scipy.stats.binomtest(hits, count).proportion_ci(CONFIDENCE, method="wilson")
    return float(interval.low), float(interval.high)


def mcnemar(first: Sequence[bool], second: Sequence[bool]) -> Discordance:
    """The exact test of Q. McNemar (1947) on whether rows are right, (N,) each."""
    ours, theirs = np.array(first, dtype=np.bool_), np.array(second, dtype=np.bool_)
    only_first, only_second = int((ours & ~theirs).sum()), int((~ours & theirs).sum())
    apart = only_first + only_second
    p = float(scipy.stats.binomtest(only_first, apart).pvalue) if apart else 1.0
    return Discordance(only_first, only_second, p)
