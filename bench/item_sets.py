"""Making and freezing an item set of 30,000 items and one of ten times as many, as a worker does.

A site on SQLite holds a data set of recordings with 15 steps, one item each, of 400 takes. Timed
are the two jobs, each in a process of its own that holds what a worker holds: items, names and
hash, baselines with their figures and intervals, and every row. The peer is `bulk_create` of the
rows of the items alone, already made, into the same table of the same file. They take turns, and
the ratio is the median of the rounds. Memory is the peak of the jobs above the idle process.

    python -m bench.item_sets [--items 30000] [--times 10] [--runs 3]
"""

import argparse
import statistics
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from bench.saving import ask_site, site_environment

SITE = "bench.item_sets_site"
MOST_TIMES_ROWS, MOST_GROWTH, MOST_ADDED_MB = 3.0, 10.5, 300.0


def main() -> int:
    """Print the figures beside the peer; return 1 when a goal is missed."""
    parser = argparse.ArgumentParser(description="Measure making and freezing item sets.")
    parser.add_argument("--items", type=int, default=30_000)
    parser.add_argument("--times", type=int, default=10, help="how much larger the large set is")
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    ratios, totals_s = [], []
    with tempfile.TemporaryDirectory() as folder:
        ask = _site(Path(folder, "few"), options.items)
        for _ in range(options.runs):
            parts = {name: ask(name) for name in ("make", "freeze", "rows")}
            totals_s.append(parts["make"]["seconds"] + parts["freeze"]["seconds"])
            ratios.append(totals_s[-1] / parts["rows"]["seconds"])
            _print(options.items, parts)
        ratio = statistics.median(ratios)
        goals = [(f"times the rows alone: {ratio:.2f}", ratio, MOST_TIMES_ROWS)]
        if options.times > 1:
            ask = _site(Path(folder, "many"), options.items * options.times)
            parts = {name: ask(name) for name in ("make", "freeze")}
            _print(options.items * options.times, parts)
            many_s = parts["make"]["seconds"] + parts["freeze"]["seconds"]
            growth = many_s / statistics.median(totals_s)
            goals.append((f"growth for {options.times} times: {growth:.2f}", growth, MOST_GROWTH))
        added_mb = max(part["megabytes"] for name, part in parts.items() if name != "rows")
        goals.append((f"memory of the largest: {added_mb:.0f} MB", added_mb, MOST_ADDED_MB))
    for words, value, most in goals:
        print(f"  {words}   (goal: at most {most:g}{'' if value <= most else ', MISSED'})")
    is_met = all(value <= most for _, value, most in goals)
    print("  goals met" if is_met else "  GOALS MISSED")
    return 0 if is_met else 1


def _site(folder: Path, item_count: int) -> Callable[[str], Any]:
    """A site whose data set gives so many items; what asks it for one of its parts."""
    environment = site_environment(folder, "sqlite")
    ask_site(environment, "prepare", str(item_count), site=SITE)
    return partial(ask_site, environment, site=SITE)


def _print(item_count: int, parts: dict[str, Any]) -> None:
    print(f"{item_count:,} items")
    for name, part in parts.items():
        memory = f", {part['megabytes']:.0f} MB added" if "megabytes" in part else ""
        used_s = part["processor_s"]
        print(
            f"  {name:8}{part['seconds']:8.1f} s ({used_s:.1f} s of processor){memory}", flush=True
        )


if __name__ == "__main__":
    sys.exit(main())
