"""How evenly pairs of raters meet, beside drawing the raters of each trace from the least loaded.

The peer is how most tools do it (and how PIE-V did): every trace gets the k raters with the least
work, ties by chance. Both are run with the same seeds.

    python -m bench.meetings [--seeds 20]
"""

import argparse
import sys
from collections.abc import Callable
from itertools import combinations
from time import perf_counter

import numpy as np

from annotation.engine.campaigns.allocation import allocate, meeting_spread, meetings

# (raters, k, traces); for k = 2 a spread of 1 is the least there is where the ideal is no integer.
CASES = ((5, 2, 100), (6, 2, 60), (8, 2, 50), (12, 2, 1000), (5, 3, 100), (7, 3, 50), (10, 4, 100))
Holders = list[set[int]]


def main() -> int:
    """Print one row per case; return 1 where pairs of k = 2 are not within one of the ideal."""
    parser = argparse.ArgumentParser(description="Measure how evenly raters meet.")
    parser.add_argument("--seeds", type=int, default=20)
    seeds = range(parser.parse_args().seeds)
    is_met = True
    print("raters/k/traces  ideal   fewest-most (spread)   least loaded, ties by chance    ms")
    for rater_count, overlap, trace_count in CASES:
        raters = list(range(rater_count))

        def ours(
            seed: int, raters: list[int] = raters, k: int = overlap, n: int = trace_count
        ) -> Holders:
            plan = allocate(
                raters_by_trace=dict.fromkeys(range(n), ()),
                raters=raters,
                movable={},
                overlap=k,
                rng=np.random.default_rng(seed),
            )
            holders: Holders = [set() for _ in range(n)]
            for trace, rater in plan.added:
                holders[trace].add(rater)
            return holders

        def theirs(
            seed: int, raters: list[int] = raters, k: int = overlap, n: int = trace_count
        ) -> Holders:
            return least_loaded(raters, k, n, np.random.default_rng(seed))

        started = perf_counter()
        least, most, spread = extremes(ours, seeds, raters)
        milliseconds = 1000 * (perf_counter() - started) / len(seeds)
        peer_least, peer_most, peer_spread = extremes(theirs, seeds, raters)
        pair_count = len(list(combinations(raters, 2)))
        ideal = trace_count * len(list(combinations(range(overlap), 2))) / pair_count
        is_met &= overlap != 2 or (ideal - least < 1 and most - ideal < 1)
        name = f"{rater_count}/{overlap}/{trace_count}"
        print(
            f"{name:15}  {ideal:5.2f}   {least}-{most} ({spread})".ljust(48)
            + f"{peer_least}-{peer_most} ({peer_spread})".ljust(28)
            + f"{milliseconds:6.0f}"
        )
    return 0 if is_met else 1


def least_loaded(
    raters: list[int], overlap: int, trace_count: int, rng: np.random.Generator
) -> Holders:
    loads = dict.fromkeys(raters, 0)
    holders: Holders = []
    for _ in range(trace_count):
        chance = dict(zip(raters, rng.random(len(raters)), strict=True))
        chosen = sorted(raters, key=lambda rater: (loads[rater], chance[rater]))[:overlap]
        for rater in chosen:
            loads[rater] += 1
        holders.append(set(chosen))
    return holders


def extremes(
    allocation: Callable[[int], Holders], seeds: range, raters: list[int]
) -> tuple[int, int, int]:
    """The fewest and most meetings of a pair over all seeds, and the widest spread of one."""
    least, most, widest = 10**9, 0, 0
    upper = np.triu_indices(len(raters), 1)
    for seed in seeds:
        table = meetings(allocation(seed), raters)
        least = min(least, int(table[upper].min()))
        most = max(most, int(table[upper].max()))
        widest = max(widest, meeting_spread(table))
    return least, most, widest


if __name__ == "__main__":
    sys.exit(main())
