"""Takes per second from plan to published trace with rules, queue and rows included.

    python -m bench.generate [--takes 2000] [--rounds 3] [--grown 20000]

A fresh SQLite database, one Celery worker with two processes, takes of 25 steps without
representations. A take counts when its plan, text, judgement, trace with events and rows, progress
and audit entry are written. The peer is a run of the same takes that only plans. Meanwhile three
pages of the run are opened again and again. Then so many takes as `--grown` go through once, on a
database of their own, and a take of them may cost little more.
"""

import argparse
import os
import shutil
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path
from statistics import median

from bench.runs import (
    WORKER_PROCESSES,
    environment_of,
    private_redis,
    processor_seconds,
    site,
    worker,
)

WANTED_PER_S = 40
# Processor time of a take among many, beside one among few.
MOST_GROWTH = 1.1


def main() -> int:
    """Print the figures; return 1 when the goal is missed or a take is not whole."""
    parser = argparse.ArgumentParser(description="Takes per second through every stage.")
    parser.add_argument("--takes", type=int, default=2000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--grown", type=int, default=20_000, help="of a larger run, once; or 0")
    options = parser.parse_args()
    per_s, per_take_ms = measured(options.takes, options.rounds)
    is_met = per_s >= WANTED_PER_S
    if options.grown:
        _, grown_ms = measured(options.grown, 1)
        growth = grown_ms / per_take_ms
        print(
            f"   a take of {options.grown:,}: {growth:.2f} times one of {options.takes:,}", end=" "
        )
        print(f"(goal at most {MOST_GROWTH:g})")
        is_met = is_met and growth <= MOST_GROWTH
    return 0 if is_met else 1


def measured(take_count: int, rounds: int) -> tuple[float, float]:
    """Print what so many takes cost: takes per second, and ms of processor time per take."""
    redis = shutil.which("redis-server")
    with tempfile.TemporaryDirectory(prefix="piev-bench-") as name, ExitStack() as stack:
        environment = environment_of(Path(name))
        if redis:
            environment["REDIS_URL"] = stack.enter_context(private_redis(redis, Path(name)))
        site(environment, "prepare", take_count)
        process = stack.enter_context(worker(environment))
        site(environment, "launch")  # not counted: the worker loads its libraries
        planned = site(environment, "launch")
        used_s = processor_seconds(process.pid)
        runs = [site(environment, "generate") for _ in range(rounds)]
        used_s = processor_seconds(process.pid) - used_s
    for run in runs:
        check_whole(run, take_count)
    rates = [take_count / (run["launch_s"] + run["work_s"]) for run in runs]
    per_s, last = median(rates), runs[-1]
    queue = "Redis" if redis else "files"
    print(
        f"   {take_count:,} takes planned, written, judged and published by {WORKER_PROCESSES} "
        f"processes ({queue}): {per_s:.0f} takes/s ({min(rates):.0f} to {max(rates):.0f}, "
        f"n={len(rates)}; goal {WANTED_PER_S})"
    )
    print(
        f"   {last['clean_count']:,} judged without a finding, {last['published_count']:,} traces"
        f", {last['empty_count']:,} takes without a mistake"
    )
    per_take_ms = 1000 * used_s / (take_count * rounds)
    print(f"   {per_take_ms:.1f} ms of processor time per take, of {os.cpu_count()} cores")
    print(f"   slowest of three open pages: {max(run['page_s'] for run in runs):.2f} s")
    plan_per_s = take_count / (planned["launch_s"] + planned["work_s"])
    print(f"   the same takes only planned: {plan_per_s:.0f} takes/s")
    return per_s, per_take_ms


def check_whole(run: dict[str, float], take_count: int) -> None:
    """End the bench where a take was lost, done twice or left without its trace."""
    counts = {run["done_count"], run["plan_count"], run["entry_count"]}
    if counts != {take_count} or run["published_count"] + run["empty_count"] != take_count:
        sys.exit(f"not every take came through whole, once: {run}")


if __name__ == "__main__":
    sys.exit(main())
