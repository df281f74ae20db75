"""Writing and judging together: takes per second on two workers, and what a step costs.

Takes are plans of the sample corpus, each with its own seed, written by the rule-based writer and
judged without a model. Long procedures are those of `bench.writer`: no two steps read alike, so no
cache of texts helps. Each length is judged in a fresh process, on identical rewrites (the checks
alone) and on written ones (checks and repairs).

    python -m bench.judge [--takes 2000] [--steps 10 100 1000]
"""

import argparse
import itertools
import sys
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor

import numpy as np

from bench.measure import in_fresh_process, peak_memory_bytes
from bench.writer import made_up_take, planned, sample_plans
from generation.engine.judging.judging import judge
from generation.engine.judging.reading import Submission
from generation.engine.rewriting.writer import write_rewrite

GOAL_TAKES_PER_S = 40
WORKERS = 2
GROWTH_GOAL = 1.5
ROUNDS = 9
MILLI, MICRO, MEGABYTE = 1e3, 1e6, 1e6


def main() -> int:
    """Print all figures; return 1 when a goal is missed."""
    parser = argparse.ArgumentParser(description="Measure the judge.")
    parser.add_argument("--takes", type=int, default=2_000)
    parser.add_argument("--steps", type=int, nargs="+", default=[10, 100, 1_000])
    options = parser.parse_args()
    is_fast = print_takes(options.takes)
    return 0 if print_long(options.steps) and is_fast else 1


def print_takes(take_count: int) -> bool:
    """Print takes per second of two workers, planning left out, and what the judge says of them."""
    shares = [(worker, take_count // WORKERS) for worker in range(WORKERS)]
    started = time.perf_counter()
    with ProcessPoolExecutor(max_workers=WORKERS) as executor:
        done = list(executor.map(write_and_judge, *zip(*shares, strict=True)))
    elapsed = time.perf_counter() - started
    judged = sum((statuses for statuses, _, _ in done), Counter())
    found = sum((codes for _, codes, _ in done), Counter())
    peak = max(peak_bytes for _, _, peak_bytes in done) / MEGABYTE
    per_s = sum(judged.values()) / elapsed
    print(
        f"{sum(judged.values()):,} plans made, written and judged on {WORKERS} workers: "
        f"{per_s:.0f} takes/s (goal {GOAL_TAKES_PER_S}), peak {peak:.0f} MB per worker"
    )
    print(f"       {dict(judged)}; findings before repair: {dict(found.most_common())}")
    return per_s >= GOAL_TAKES_PER_S


def write_and_judge(worker: int, take_count: int) -> tuple[Counter[str], Counter[str], int]:
    """Counts of statuses and of first findings by code, and the peak memory."""
    statuses: Counter[str] = Counter()
    found: Counter[str] = Counter()
    plans = itertools.islice(sample_plans(), worker, None, WORKERS)
    for number, plan in enumerate(itertools.islice(plans, take_count)):
        written = write_rewrite(plan, rng=np.random.default_rng((worker, number)))
        judged = judge(plan, Submission(written.rewrite))
        statuses[str(judged.status)] += 1
        found.update(finding.code for finding in judged.report.initial)
    return statuses, found, peak_memory_bytes()


def print_long(lengths: list[int]) -> bool:
    """Print the judge's cost per step of each length, and return whether it stays flat."""
    costs = {length: in_fresh_process(seconds_per_step, length) for length in lengths}
    for length, cost in costs.items():
        print(
            f"{length:>6,} steps: {cost * MICRO:7.1f} us per step, "
            f"{cost * length * MILLI:7.1f} ms per take"
        )
    growth = costs[max(lengths)] / costs[min(lengths)]
    print(f"       from the shortest to the longest: x{growth:.2f} (goal x{GROWTH_GOAL})")
    return growth <= GROWTH_GOAL


def seconds_per_step(length: int) -> float:
    """The median processor time of a step over rewrites that nothing has seen before."""
    seconds = []
    for seed in range(ROUNDS + 1):
        procedure = made_up_take(length, seed)
        plan = planned(procedure, seed)
        written = write_rewrite(plan, rng=np.random.default_rng(seed)).rewrite
        started = time.process_time()
        judge(plan, Submission(written))
        # The first round loads libraries and is not counted.
        if seed:
            seconds.append((time.process_time() - started) / length)
    return float(np.median(seconds))


if __name__ == "__main__":
    sys.exit(main())
