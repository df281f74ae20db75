"""The full agreement report of 100,000 ratings: nine metrics, all coefficients, 1,000 draws.

Five raters rate every event of 9 metrics; events come five to a trace. Beside it stands the
interval of one metric as the `krippendorff` package alone would give it: asked once per draw. The
report runs in a fresh process at each size, so that its peak memory is its own.

    python -m bench.agreement_report [--ratings 100000] [--draws 1000]
"""

import argparse
import sys
import time

import krippendorff
import numpy as np

from annotation.analytics.agreement.answers import Answers
from annotation.analytics.agreement.intervals import alpha_interval
from annotation.analytics.agreement.metric_ratings import MetricRatings
from annotation.analytics.agreement.report import build_report
from annotation.engine.rubric.rubric import MetricDefinition, current_rubric
from bench.measure import in_fresh_process, peak_memory_bytes

RATERS, EVENTS_PER_TRACE = 5, 5
NOISE = 0.4
SEED = 20261122
MEGABYTE = 1e6
# What the project promises of 100,000 ratings, and that ten times as many take about ten times.
MOST_SECONDS, MOST_MEGABYTES = 10.0, 400.0
MOST_GROWTH = 1.3


def main() -> int:
    """Print the figures beside the peer; return 1 when a goal is missed."""
    parser = argparse.ArgumentParser(description="Measure the agreement report.")
    parser.add_argument("--ratings", type=int, default=100_000)
    parser.add_argument("--draws", type=int, default=1000)
    options = parser.parse_args()
    measured = {}
    for count in (options.ratings, 10 * options.ratings):
        seconds, megabytes = in_fresh_process(report_of, count, options.draws)
        measured[count] = seconds
        print(f"{count:>10,} ratings, {options.draws:,} draws {seconds:8.2f} s {megabytes:6.0f} MB")
        if count == options.ratings:
            is_met = seconds < MOST_SECONDS and megabytes < MOST_MEGABYTES
    print(f"  goals of the first: under {MOST_SECONDS:g} s and {MOST_MEGABYTES:g} MB")
    growth = measured[10 * options.ratings] / measured[options.ratings] / 10
    print(f"  time per rating, the second over the first: {growth:.2f} (goal: {MOST_GROWTH:g})")
    own, peer = in_fresh_process(interval_of_both, options.ratings, options.draws)
    print(f"  interval of one metric: {own:.3f} s; asking krippendorff per draw: {peer:.2f} s")
    print(f"  times faster {peer / own:.0f}")
    is_met = is_met and growth <= MOST_GROWTH
    print("  goals met" if is_met else "  GOALS MISSED")
    return 0 if is_met else 1


def report_of(rating_count: int, draws: int) -> tuple[float, float]:
    """The seconds of a report, and the peak megabytes of a process that does nothing else."""
    metrics = current_rubric().metrics
    ratings = [made_ratings(item, rating_count // len(metrics)) for item in metrics]
    started = time.perf_counter()
    rows = build_report(ratings, seed=SEED, resamples=draws)
    seconds = time.perf_counter() - started
    assert all(row.interval.low is not None for row in rows)
    return seconds, peak_memory_bytes() / MEGABYTE


def interval_of_both(rating_count: int, draws: int) -> tuple[float, float]:
    """The seconds of the interval of one metric, ours and with the package asked for each draw."""
    definition = current_rubric().metrics[1]
    ratings = made_ratings(definition, rating_count // len(current_rubric().metrics))
    counts, clusters = ratings.counts, ratings.clusters
    started = time.perf_counter()
    alpha_interval(counts, clusters, definition.level, np.random.default_rng(SEED), draws)
    own = time.perf_counter() - started
    rng = np.random.default_rng(SEED)
    by_trace = counts.reshape(-1, EVENTS_PER_TRACE, counts.shape[1])
    started = time.perf_counter()
    for _ in range(draws):
        drawn = by_trace[rng.integers(0, len(by_trace), len(by_trace))]
        krippendorff.alpha(
            value_counts=drawn.reshape(-1, counts.shape[1]),
            level_of_measurement=definition.level.value,
        )
    return own, time.perf_counter() - started


def made_ratings(definition: MetricDefinition, rating_count: int) -> MetricRatings:
    """So many ratings, all five raters on each event; they stray from a truth now and then."""
    traces = rating_count // (RATERS * EVENTS_PER_TRACE)
    units, value_count = traces * EVENTS_PER_TRACE, len(definition.values)
    rng = np.random.default_rng(SEED)
    truth = rng.integers(0, value_count, (units, 1))
    strays = rng.random((units, RATERS)) < NOISE
    table = np.where(strays, rng.integers(0, value_count, (units, RATERS)), truth)
    given = units * RATERS
    return MetricRatings(
        dataset="Bench",
        definition=definition,
        answers=Answers.of_table(table, value_count),
        confidences=rng.integers(1, 4, given).astype(np.int8),
        is_implied=rng.random(given) < 0.1,
        expected=np.full(units, RATERS),
        clusters=np.arange(units) // EVENTS_PER_TRACE,
        keys=np.arange(units),
        unjudged=np.zeros(units, dtype=np.int64),
        is_correction=np.arange(units) % 2 > 0,
        takes=tuple(f"take {number}" for number in range(traces)),
    )


if __name__ == "__main__":
    sys.exit(main())
