"""Which traces are drawn for a round: so many of each data set, evenly over its scenarios."""

from collections import defaultdict
from collections.abc import Iterable

import numpy as np


def draw_traces(
    traces: Iterable[tuple[str, str, int]], *, per_dataset: int, rng: np.random.Generator
) -> list[int]:
    """The keys of the drawn ones among (data set, scenario, key), in order.

    Scenarios take turns, in an order by chance, until a data set has given `per_dataset` or has no
    more: five tasks of a data set of which 25 are drawn give five each (the sample of the published
    audit).

    >>> traces = [("A", "tea", 1), ("A", "tea", 2), ("A", "toast", 4), ("B", "", 5)]
    >>> drawn = draw_traces(traces, per_dataset=2, rng=np.random.default_rng(1))
    >>> (4 in drawn, 5 in drawn, len(drawn))
    (True, True, 3)
    """
    by_dataset: dict[str, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    for dataset, scenario, key in sorted(traces):
        by_dataset[dataset][scenario].append(key)
    drawn: list[int] = []
    for scenarios in by_dataset.values():
        piles = [[int(key) for key in rng.permutation(keys)] for keys in scenarios.values()]
        order = [int(place) for place in rng.permutation(len(piles))]
        turns = [
            piles[place][turn]
            for turn in range(max(map(len, piles)))
            for place in order
            if turn < len(piles[place])
        ]
        drawn += turns[:per_dataset]
    return sorted(drawn)
