"""Krippendorff's alpha of many units: ours from value counts beside the `krippendorff` package.

The package gets the ratings matrix, which is how it is used; ours gets the value counts, which is
how the database hands ratings over. Times are medians of rounds in which both take turns. Memory is
the peak over the loaded input, each in a fresh process.

    python -m bench.alpha [--units 1000000] [--raters 5] [--runs 9]
"""

import argparse
import sys
import tempfile
from pathlib import Path

import krippendorff
import numpy as np
import numpy.typing as npt

from annotation.analytics.agreement.agreement import krippendorff_alpha
from annotation.engine.rubric.rubric import Level
from bench.measure import Peak, in_fresh_process, median_seconds, peak_of

VALUES = np.arange(1, 6)
GAP_SHARE = 0.1
SEED = 20240617
WARM_UP_UNITS = 1000
MEGABYTE = 1e6
# What the project promises: at least so many times faster, in under this share of the memory.
SPEED_GOAL = 5.0
MEMORY_GOAL = 0.1
TOLERANCE = 1e-12


def main() -> int:
    """Print both sides' medians with their ratios; return 1 when a goal is missed."""
    parser = argparse.ArgumentParser(description="Measure Krippendorff's alpha.")
    parser.add_argument("--units", type=int, default=1_000_000)
    parser.add_argument("--raters", type=int, default=5)
    parser.add_argument("--runs", type=int, default=9)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        ratings_path, counts_path = Path(folder, "ratings.npy"), Path(folder, "counts.npy")
        in_fresh_process(
            write_inputs, ratings_path, counts_path, units=options.units, raters=options.raters
        )
        seconds, difference = in_fresh_process(time_both, ratings_path, counts_path, options.runs)
        peaks = {
            "own": in_fresh_process(own_peak, counts_path),
            "krippendorff": in_fresh_process(peer_peak, ratings_path),
        }
    text, is_met = compare(seconds, peaks, difference)
    sys.stdout.write(
        f"alpha, ordinal, {options.units:,} units x {options.raters} raters, {len(VALUES)} values, "
        f"{GAP_SHARE:.0%} gaps, median of {options.runs}\n{text}\n"
    )
    return 0 if is_met else 1


def compare(
    seconds: dict[str, float], peaks: dict[str, Peak], difference: float
) -> tuple[str, bool]:
    """Both sides with their ratios as lines of text, and whether every goal is met."""
    speed_ratio = seconds["krippendorff"] / seconds["own"]
    memory_share = peaks["own"].added / peaks["krippendorff"].added
    is_met = speed_ratio >= SPEED_GOAL and memory_share < MEMORY_GOAL and difference <= TOLERANCE
    sides = [
        f"  {name:<14}{seconds[name]:8.4f} s {peak.added / MEGABYTE:8.1f} MB over the input"
        f" ({peak.process / MEGABYTE:.0f} MB with interpreter and input)"
        for name, peak in peaks.items()
    ]
    lines = [
        *sides,
        f"  times faster    {speed_ratio:6.1f}   (goal: at least {SPEED_GOAL:g})",
        f"  share of memory {memory_share:6.3f}   (goal: under {MEMORY_GOAL:g})",
        f"  largest difference of alpha over the three levels: {difference:.1e}",
        "  goals met" if is_met else "  GOALS MISSED",
    ]
    return "\n".join(lines), is_met


def write_inputs(ratings_path: Path, counts_path: Path, *, units: int, raters: int) -> None:
    """Write random ratings, (M, N) float with nan for a gap, and their value counts, (N, V) int."""
    rng = np.random.default_rng(SEED)
    truth = rng.integers(VALUES[0], VALUES[-1] + 1, units)
    ratings = np.clip(truth + rng.integers(-1, 2, (raters, units)), VALUES[0], VALUES[-1])
    ratings = np.where(rng.random((raters, units)) < GAP_SHARE, np.nan, ratings)
    counts = np.stack([(ratings == value).sum(axis=0) for value in VALUES], axis=1)
    np.save(ratings_path, ratings)
    np.save(counts_path, np.ascontiguousarray(counts, dtype=np.int64))


def time_both(ratings_path: Path, counts_path: Path, runs: int) -> tuple[dict[str, float], float]:
    """The median seconds of both on the ordinal level, and their largest difference."""
    ratings, counts = np.load(ratings_path), np.load(counts_path)
    seconds = median_seconds(
        {
            "own": lambda: own_alpha(counts, Level.ORDINAL),
            "krippendorff": lambda: peer_alpha(ratings, Level.ORDINAL),
        },
        runs,
    )
    difference = max(abs(own_alpha(counts, level) - peer_alpha(ratings, level)) for level in Level)
    return seconds, difference


def own_peak(counts_path: Path) -> Peak:
    counts = np.load(counts_path)
    # The first call sets up the matrix library's buffers, which do not grow with the input.
    own_alpha(counts[:WARM_UP_UNITS], Level.ORDINAL)
    return peak_of(lambda: own_alpha(counts, Level.ORDINAL))


def peer_peak(ratings_path: Path) -> Peak:
    ratings = np.load(ratings_path)
    peer_alpha(ratings[:, :WARM_UP_UNITS], Level.ORDINAL)
    return peak_of(lambda: peer_alpha(ratings, Level.ORDINAL))


def own_alpha(counts: npt.NDArray[np.int64], level: Level) -> float:
    alpha = krippendorff_alpha(counts, level)
    if alpha.value is None:
        raise ValueError(alpha.reason)
    return alpha.value


def peer_alpha(ratings: npt.NDArray[np.float64], level: Level) -> float:
    return float(krippendorff.alpha(ratings, level_of_measurement=level.value))


if __name__ == "__main__":
    sys.exit(main())
