"""An assistant that watches: points of many recordings, figures of many points.

Points are those of 1,000 invented recordings of 162 s, by the seeded rule. Figures are those of
1,000,000 points in columns, and of a tenth of them, in turns: growth is the median of the rounds'
ratios. Resamples are 1,000 of 700 recordings, from sums that are prepared.

    python -m bench.guiding [--runs 5] [--only points | figures | resamples]
"""

import argparse
import sys
import time
from collections.abc import Callable
from statistics import median

import numpy as np

from bench.measure import in_fresh_process, median_seconds
from benchmarks.engine.guiding.points import PointEvent, sample_points
from benchmarks.engine.measures.guiding import GUIDING_MEASURES, Points, guiding_figures
from benchmarks.engine.scoring import score, values_of
from benchmarks.engine.task import Tally

POINT_SECONDS, RECORDINGS = 1.0, 1000
FIGURE_SECONDS, POINTS, MOST_GROWTH = 1.0, 1_000_000, 10.5
RESAMPLE_SECONDS, RESAMPLED, RESAMPLES = 0.3, 700, 1000
# Of EgoProactive: the mean length, and points of a recording.
DURATION_S, STEPS = 162.1, 9


def main() -> int:
    """Print all figures beside their goals; return 1 when one is missed."""
    parser = argparse.ArgumentParser(description="Measure points and figures of an assistant.")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--only", choices=PARTS)
    options = parser.parse_args()
    parts = [options.only] if options.only else list(PARTS)
    are_met = [in_fresh_process(PARTS[part], options.runs) for part in parts]
    print("  goals met" if all(are_met) else "  GOALS MISSED")
    return 0 if all(are_met) else 1


def points_part(runs: int) -> bool:
    rng = np.random.default_rng(0)
    recordings = [
        [PointEvent(float(time_s), "next step") for time_s in rng.uniform(0, DURATION_S, STEPS)]
        for _ in range(RECORDINGS)
    ]

    def sample() -> None:
        for number, events in enumerate(recordings):
            sample_points(f"recording {number}", DURATION_S, events, seed=7)

    seconds = median_seconds({"points": sample}, runs)["points"]
    words = f"points of {RECORDINGS:,} recordings"
    print(f"  {words} {seconds:.3f} s   (goal: under {POINT_SECONDS:g} s)", flush=True)
    return seconds < POINT_SECONDS


def drawn_points(count: int) -> Points:
    rng = np.random.default_rng(1)
    should, said = (rng.integers(0, 2, count).astype(np.float64) for _ in range(2))
    grades = np.where((should * said == 1)[:, None], rng.integers(1, 6, (count, 4)), np.nan)
    return Points(should, said, rng.integers(0, 4, count), rng.random(count) < 0.07, grades)


def figures_part(runs: int) -> bool:
    rounds = []
    jobs = [(drawn_points(count), count) for count in (POINTS, POINTS // 10)]
    for _round in range(runs + 1):
        turns = []
        for points, count in jobs:
            places = np.arange(count) % RESAMPLED
            started = time.perf_counter()
            names = tuple(map(str, range(RESAMPLED)))
            values_of(Tally(names, points.sums(places, RESAMPLED), guiding_figures()))
            turns.append(time.perf_counter() - started)
        rounds.append(turns)
    whole = median(turns[0] for turns in rounds[1:])
    growth = median(turns[0] / turns[1] for turns in rounds[1:])
    print(f"  {POINTS:,} points scored {whole:.3f} s   (goal: under {FIGURE_SECONDS:g} s)")
    print(f"  growth for 10 times as many {growth:.2f}   (goal: under {MOST_GROWTH:g})", flush=True)
    return whole < FIGURE_SECONDS and growth < MOST_GROWTH


def resamples_part(runs: int) -> bool:
    count = 14 * RESAMPLED
    sums = drawn_points(count).sums(np.arange(count) % RESAMPLED, RESAMPLED)
    tally = Tally(tuple(map(str, range(RESAMPLED))), sums, guiding_figures())
    run = {"score": lambda: score(tally, GUIDING_MEASURES, resamples=RESAMPLES)}
    seconds = median_seconds(run, runs)["score"]
    words = f"{RESAMPLES:,} resamples of {RESAMPLED} recordings, {len(tally.figures)} figures"
    print(f"  {words} {seconds:.3f} s   (goal: under {RESAMPLE_SECONDS:g} s)", flush=True)
    return seconds < RESAMPLE_SECONDS


PARTS: dict[str, Callable[[int], bool]] = {
    "points": points_part,
    "figures": figures_part,
    "resamples": resamples_part,
}


if __name__ == "__main__":
    sys.exit(main())
