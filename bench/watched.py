"""A hostile report of what was watched, beside sorting it, which any way of reading it has to do.

As many spans as are kept, and 5,000 stretches that each cover all of them.

    python -m bench.watched [--runs 5]
"""

import argparse
import sys

from annotation.engine.ratings.viewing import MOST_SPANS, Limits, add_watched
from bench.measure import median_seconds

GOAL_S = 0.5
DURATION_S = 10_000
STRETCHES = [(0.0, float(DURATION_S))] * 5000


def main() -> int:
    """Print both times and their ratio; return 1 when the report takes longer than wanted."""
    parser = argparse.ArgumentParser(description="Measure a hostile report of what was watched.")
    parser.add_argument("--runs", type=int, default=5)
    limits = Limits(duration_s=DURATION_S, open_s=10 * DURATION_S)
    comb = [(2.0 * place, 2.0 * place + 1) for place in range(MOST_SPANS)]
    spans, _ = add_watched((), comb, at_s=1, limits=limits)
    seconds = median_seconds(
        {
            "add": lambda: add_watched(spans, STRETCHES, at_s=2, limits=limits),
            "sort": lambda: (sorted(STRETCHES), sorted(spans, key=lambda span: span.start_s)),
        },
        parser.parse_args().runs,
    )
    print(
        f"{len(STRETCHES):,} stretches over {len(spans):,} spans: {1000 * seconds['add']:.1f} ms, "
        f"sorting alone {1000 * seconds['sort']:.2f} ms "
        f"({seconds['add'] / seconds['sort']:.0f} times); goal: under {GOAL_S:g} s"
    )
    return 0 if seconds["add"] < GOAL_S else 1


if __name__ == "__main__":
    sys.exit(main())
