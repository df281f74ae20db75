"""Agreement on segments: 400 recordings by two people with 25 segments each, 1,000 draws.

The measures alone, and a round read from the tables of a private database. Beside them stands a
plain loop of the definitions: for every draw tIoU, F1@.50 and the median distance of the starts
anew from the rows of the drawn recordings. A few of its draws are timed.

    python -m bench.segment_agreement [--recordings 400] [--segments 25] [--draws 1000]
"""

import argparse
import statistics
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from bench.measure import in_fresh_process
from bench.saving import ask_site, site_environment
from segments.measures.agreement import agreement
from segments.measures.figures import Compared, Options
from segments.measures.spans import Spans

SITE = "bench.segment_results_site"
SCENARIOS, MISTAKES = 20, 6
DURATION_S, NOISE_S = 900.0, 0.4
SEED = 20261122
MOST_SECONDS = 5.0
PEER_DRAWS = 3

Rows = list[tuple[int, float, float]]


def main() -> int:
    """Print the figures beside the peer; return 1 when a goal is missed."""
    parser = argparse.ArgumentParser(description="Measure agreement on segments.")
    parser.add_argument("--recordings", type=int, default=400)
    parser.add_argument("--segments", type=int, default=25)
    parser.add_argument("--draws", type=int, default=1000)
    options = parser.parse_args()
    seconds, tiou = in_fresh_process(
        measures_of, options.recordings, options.segments, options.draws
    )
    peer_s, peer_tiou = in_fresh_process(loop_of, options.recordings, options.segments)
    print(
        f"{options.recordings} recordings x 2 x {options.segments} segments,"
        f" {options.draws:,} draws"
    )
    print(f"  all figures             {seconds:8.2f} s    (goal: under {MOST_SECONDS:g})")
    print(f"  plain loop, 3 figures   {peer_s:8.2f} s    a draw")
    print(f"  times faster            {peer_s * options.draws / seconds:8.0f}      with all draws")
    is_same = abs(tiou - peer_tiou) < 1e-9
    print(f"  tIoU {tiou:.6f}, by the loop {peer_tiou:.6f}{'' if is_same else '  NOT THE SAME'}")
    with tempfile.TemporaryDirectory() as folder:
        environment = site_environment(Path(folder), "sqlite")
        number = ask_site(
            environment, "prepare", str(options.recordings), str(options.segments), site=SITE
        )
        found = ask_site(environment, "figures", str(number), site=SITE)
    print(
        f"  from the tables, with scenarios, coverage and effort {found['seconds']:.2f} s"
        f" ({found['work_s']:.2f} s of them at work),"
        f" {found['megabytes']:.0f} MB added, {found['compared']} recordings compared"
    )
    is_met = is_same and max(seconds, found["seconds"]) < MOST_SECONDS
    print("  goals met" if is_met else "  GOALS MISSED")
    return 0 if is_met else 1


def made_rows(recordings: int, segments: int) -> list[tuple[Rows, Rows]]:
    """Two people's rows (label, start, end) of every recording; the second's edges are noisy."""
    rng = np.random.default_rng(SEED)
    found = []
    for place in range(recordings):
        edges = np.sort(rng.uniform(0, DURATION_S, 2 * segments))
        noisy = np.sort((edges + rng.normal(0, NOISE_S, len(edges))).clip(0, DURATION_S))
        labels = np.arange(segments) + segments * (place % SCENARIOS)
        others = np.where(rng.random(segments) < 0.05, rng.permutation(labels), labels)
        sides = []
        for names, times in ((labels, edges), (others, noisy)):
            pairs = times.reshape(-1, 2).tolist()
            sides.append([(int(name), *pair) for name, pair in zip(names, pairs, strict=True)])
        found.append((sides[0], sides[1]))
    return found


def measures_of(recordings: int, segments: int, draws: int) -> tuple[float, float]:
    """The seconds of every figure with its interval, and tIoU."""
    rng = np.random.default_rng(SEED)
    items = [
        Compared(
            *(
                Spans.of(
                    [row[1] for row in rows], [row[2] for row in rows], [row[0] for row in rows]
                )
                for rows in sides
            ),
            duration_s=DURATION_S,
            mistakes=(
                rng.integers(-1, MISTAKES, segments), rng.integers(-1, MISTAKES, segments),
            ),
            texts=(
                [f"hold cup {place} by its handle {label}" for label in range(segments)],
                [f"hold cup {place} from below {label}" for label in range(segments)],
            ),
        )
        for place, sides in enumerate(made_rows(recordings, segments))
    ]  # fmt: skip
    started = time.perf_counter()
    found = agreement(
        items,
        Options(rng, resamples=draws, class_count=segments * SCENARIOS, mistake_count=MISTAKES),
    )
    seconds = time.perf_counter() - started
    assert found["tiou_strict"].interval.low is not None
    assert found["tiou_strict"].value is not None
    return seconds, found["tiou_strict"].value


def loop_of(recordings: int, segments: int) -> tuple[float, float]:
    """The median seconds of a draw by the plain loop, and tIoU of all recordings."""
    items = made_rows(recordings, segments)
    rng = np.random.default_rng(SEED)
    tiou, _, _ = plain_figures(items)
    seconds = []
    for _ in range(PEER_DRAWS):
        drawn = [items[place] for place in rng.integers(0, len(items), len(items))]
        started = time.perf_counter()
        plain_figures(drawn)
        seconds.append(time.perf_counter() - started)
    return statistics.median(seconds), tiou


def plain_figures(items: list[tuple[Rows, Rows]]) -> tuple[float, float, float]:
    """tIoU, F1@.50 and the median distance of starts, as they are defined."""
    ious, true, counted, distances = [], 0, 0, []
    for first, second in items:
        labels = {row[0] for row in first} | {row[0] for row in second}
        of_labels = []
        for label in labels:
            ours = [row for row in first if row[0] == label]
            theirs = [row for row in second if row[0] == label]
            shared = sum(max(0.0, min(a[2], b[2]) - max(a[1], b[1])) for a in ours for b in theirs)
            whole = sum(row[2] - row[1] for row in [*ours, *theirs]) - shared
            of_labels.append(shared / whole if whole else 0.0)
            for a in ours:
                for b in theirs:
                    both = max(0.0, min(a[2], b[2]) - max(a[1], b[1]))
                    if both > 0:
                        distances.append(abs(b[1] - a[1]))
                        true += both / (a[2] - a[1] + b[2] - b[1] - both) >= 0.5
            counted += len(ours) + len(theirs)
        ious.append(sum(of_labels) / len(of_labels))
    return sum(ious) / len(ious), 2 * true / counted, statistics.median(distances)


if __name__ == "__main__":
    sys.exit(main())
