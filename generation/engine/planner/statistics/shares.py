"""Counts as shares and as the summary of a distribution."""

import math
from collections import Counter
from collections.abc import Mapping
from typing import Any


def shares(counts: Mapping[Any, int]) -> dict[str, float]:
    """Each count over their sum; empty if the sum is 0.

    >>> shares({"a": 1, "b": 3})
    {'a': 0.25, 'b': 0.75}
    """
    total = sum(counts.values())
    return {str(key): count / total for key, count in counts.items()} if total else {}


def ratio(part: float, whole: float) -> float | None:
    return part / whole if whole else None


def sorted_shares(counts: Mapping[Any, int]) -> dict[str, float]:
    """The shares in the order of the keys."""
    return shares(dict(sorted(counts.items())))


def summary(counts: Counter[int]) -> dict[str, float]:
    """Mean, standard deviation and quantiles of whole numbers, by how often each occurred.

    The standard deviation divides by the number of values; a quantile is the smallest value that at
    least this share of the values does not exceed. Empty where there is no value.

    >>> summary(Counter({2: 1, 4: 1}))["mean"]
    3.0
    """
    total = counts.total()
    if not total:
        return {}
    mean = sum(value * count for value, count in counts.items()) / total
    variance = sum(count * (value - mean) ** 2 for value, count in counts.items()) / total
    return {
        "mean": mean,
        "sd": math.sqrt(variance),
        "min": min(counts),
        "p5": _quantile(counts, 0.05),
        "median": _quantile(counts, 0.5),
        "p95": _quantile(counts, 0.95),
        "max": max(counts),
    }


def _quantile(counts: Counter[int], share: float) -> int:
    needed, cumulative = share * counts.total(), 0
    for value in sorted(counts):
        cumulative += counts[value]
        if cumulative >= needed:
            return value
    return max(counts)
