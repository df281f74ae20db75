"""An assistant that watches: points of many recordings, figures of many points.

Points are those of 1,000 invented recordings of 162 s, by the seeded rule. Figures are those of
1,000,000 points in columns, and of a tenth of them, in turns: growth is the median of the rounds'
ratios. Resamples are 1,000 of 700 recordings, from sums that are prepared. The import is of a file
in EgoProactive's form with 700 invented rows and 9,935 points, into a fresh SQLite file.

The tree is Ward's over 4,500 x 1,408 invented features, beside scikit-learn's alone, in turns.
`bench.guiding_loop` says what the loop and its memory are, `bench.guiding_page` what the page is.

    python -m bench.guiding [--runs 5]
        [--only points | figures | resamples | import | tree | loop | memory | hour | page]
"""

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

import numpy as np
import scipy
from sklearn.cluster import AgglomerativeClustering

from bench.guiding_loop import hour_part, loop_part, memory_part
from bench.guiding_page import page_part
from bench.measure import in_fresh_process, median_seconds
from bench.questions import set_up
from benchmarks.engine.guiding.points import PointEvent, sample_points
from benchmarks.engine.guiding.proposals import ward_tree
from benchmarks.engine.measures.guiding import GUIDING_MEASURES, Points, guiding_figures
from benchmarks.engine.scoring import score, values_of
from benchmarks.engine.task import Tally

POINT_SECONDS, RECORDINGS = 1.0, 1000
FIGURE_SECONDS, POINTS, MOST_GROWTH = 1.0, 1_000_000, 10.5
IMPORT_SECONDS, IMPORTED_POINTS = 3.0, 9935
RESAMPLE_SECONDS, RESAMPLED, RESAMPLES = 0.3, 700, 1000
MOST_TREE, TREE_ROWS, TREE_WIDTH = 3.0, 4500, 1408
# Of EgoProactive: the mean length, and points of a recording.
DURATION_S, STEPS = 162.1, 9


def main() -> int:
    """Print all figures beside their goals; return 1 when one is missed."""
    parser = argparse.ArgumentParser(description="Measure points and figures of an assistant.")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--only", choices=PARTS)
    options = parser.parse_args()
    parts = [options.only] if options.only else [part for part in PARTS if part != "hour"]
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


def tree_part(runs: int) -> bool:
    features = np.random.default_rng(2).normal(size=(TREE_ROWS, TREE_WIDTH)).astype(np.float32)
    neighbours = scipy.sparse.diags_array(
        [1.0, 1.0], offsets=[-1, 1], shape=(TREE_ROWS, TREE_ROWS)
    ).tocsr()
    alone = AgglomerativeClustering(
        n_clusters=None, distance_threshold=0.0, linkage="ward", connectivity=neighbours,
        compute_full_tree=True,
    )  # fmt: skip
    jobs = {
        "ours": lambda: ward_tree(features).nodes(13),
        "scikit-learn": lambda: alone.fit(features),
    }
    seconds = median_seconds(jobs, runs)
    ratio = seconds["ours"] / seconds["scikit-learn"]
    words = f"tree of {TREE_ROWS:,} x {TREE_WIDTH:,} features {seconds['ours']:.3f} s"
    beside = f"scikit-learn alone {seconds['scikit-learn']:.3f} s: {ratio:.2f} times"
    print(f"  {words}, {beside}   (goal: under {MOST_TREE:g})", flush=True)
    return ratio < MOST_TREE


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


def import_part(runs: int) -> bool:
    with tempfile.TemporaryDirectory() as folder:
        file = write_rows(Path(folder, "rows.jsonl"))
        set_up(Path(folder, "state"))
        seconds = median(_import_seconds(file, number) for number in range(runs + 1))
    words = f"{RESAMPLED} rows and {IMPORTED_POINTS:,} points read and stored"
    print(f"  {words} {seconds:.2f} s   (goal: under {IMPORT_SECONDS:g} s)", flush=True)
    return seconds < IMPORT_SECONDS


def write_rows(path: Path) -> Path:
    """Invented rows in EgoProactive's form, every other answer an interrupt."""
    lines = []
    for number in range(RESAMPLED):
        count = 14 + (number < IMPORTED_POINTS - 14 * RESAMPLED)
        answers = [
            f"$interrupt$Turn screw {n}." if n % 2 == 0 else "$silent$" for n in range(count)
        ]
        turns = [{"role": "user", "text": "How do I begin?"}]
        dialog = []
        for answer in answers:
            dialog.append([*turns])
            if answer != "$silent$":
                turns.append({"role": "assistant", "text": answer})
        lines.append({
            "video_path": f"val/{number:016x}.mp4", "duration_in_sec": 12.0 * count,
            "video_intervals": [[12.0 * n, 12.0 * n + 5] for n in range(count)],
            "query": "How do I begin?", "domain": "Handyman", "task": f"Task {number}",
            "answers": answers, "dialog": dialog,
        })  # fmt: skip
    path.write_text("\n".join(map(json.dumps, lines)))
    return path


def _import_seconds(file: Path, number: int) -> float:
    from annotation.engine.corpus.formats.registry import available_formats  # noqa: PLC0415
    from annotation.models import Utterance  # noqa: PLC0415
    from annotation.services.corpus.imports import (  # noqa: PLC0415
        ImportTarget,
        import_reading,
        read_files,
    )

    started = time.perf_counter()
    reading = read_files(available_formats()["egoproactive"], file)
    import_reading(reading, target=ImportTarget(f"Rows {number}", "egoproactive"))
    seconds = time.perf_counter() - started
    assert Utterance.objects.count() == (number + 1) * len(reading.utterances)
    return seconds


PARTS: dict[str, Callable[[int], bool]] = {
    "points": points_part,
    "figures": figures_part,
    "resamples": resamples_part,
    "import": import_part,
    "tree": tree_part,
    "loop": loop_part,
    "memory": memory_part,
    "hour": hour_part,
    "page": page_part,
}


if __name__ == "__main__":
    sys.exit(main())
