"""Detection: average precision of a published file of predictions, and areas of a million answers.

The peer of average precision is the definition as a plain loop, over the same 38,000 rows; that of
the draws is the area computed anew from the drawn answers. Both are measured in this run.

    python -m bench.detection [--answers 1000000] [--recordings 400]
"""

import argparse
import csv
import json
import sys
import time
from collections import defaultdict
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np

from bench.measure import Result
from bench.shared_data import shared_data_folder
from benchmarks.engine.measures.decisions import AreaByRecording, curve
from benchmarks.engine.measures.localisation import Intervals, countable, mean_average_precision

THRESHOLDS = (0.1, 0.2, 0.3, 0.4, 0.5)
DRAWS = 1_000
# What the project promises.
LEAST_TIMES_FASTER = 5.0
MOST_PREPARATION_S = 10.0
MOST_DRAWS_S = 0.3
MOST_GROWTH = 10.5


def main() -> int:
    """Print the figures beside their peers; return 1 when a goal is missed."""
    parser = argparse.ArgumentParser(description="Measure the figures of detection.")
    parser.add_argument("--answers", type=int, default=1_000_000)
    parser.add_argument("--recordings", type=int, default=400)
    options = parser.parse_args()
    is_met = [_areas(options.answers, options.recordings)]
    is_met.append(_average_precision(shared_data_folder() / "detection" / "real_predictions"))
    return 0 if all(is_met) else 1


def _average_precision(folder: Path) -> bool:
    truth, predictions = _published(folder)
    own_s, found = _fastest(lambda: mean_average_precision(truth, predictions, THRESHOLDS))
    peer_s, plain = _fastest(lambda: _plain(countable(truth), predictions), rounds=1)
    shown = ", ".join(f"{100 * value:.2f}" for value in found.mean if value is not None)
    print(f"{len(predictions):,} predictions of {len(set(predictions.recordings))} recordings")
    print(f"  mAP by the field's rule {shown} (per cent, tIoU 0.1 to 0.5)")
    print(f"  own {own_s:.3f} s, plain loop of the definition {peer_s:.3f} s: ", end="")
    print(f"{peer_s / own_s:.1f} times faster (goal: {LEAST_TIMES_FASTER:g})")
    is_same = bool(np.allclose(plain, found.average_precision.mean(axis=0), atol=1e-9))
    print(f"  both give the same: {is_same}")
    return is_same and peer_s / own_s >= LEAST_TIMES_FASTER


def _published(folder: Path) -> tuple[Intervals, Intervals]:
    database = json.loads((folder / "truth_environment_test.json").read_text())["database"]
    numbers = {name: number for number, name in enumerate(database)}
    rows = [
        (numbers[name], item["label_id"], *item["segment"], 0.0)
        for name, recording in database.items()
        for item in recording["annotations"]
    ]
    columns = ("label", "t-start", "t-end", "score")
    with (folder / "preds.csv").open(newline="") as file:
        said = [
            (numbers[row["video-id"]], *(float(row[name]) for name in columns))
            for row in csv.DictReader(file)
        ]
    tables = (np.array(rows), np.array(said))
    truth, predictions = (
        Intervals(
            table[:, 0].astype(np.int64),
            table[:, 1].astype(np.int64),
            table[:, 2],
            table[:, 3],
            table[:, 4],
        )
        for table in tables
    )
    return truth, predictions


def _plain(truth: Intervals, predictions: Intervals) -> list[float]:
    """The definition, one prediction after the other: mAP at each threshold."""
    truths: dict[tuple[int, int], list[tuple[float, float]]] = defaultdict(list)
    counts: dict[int, int] = defaultdict(int)
    for recording, label, *span in zip(
        truth.recordings, truth.labels, truth.starts_s, truth.ends_s, strict=True
    ):
        truths[label, recording].append((float(span[0]), float(span[1])))
        counts[label] += 1
    assert predictions.scores is not None
    ranked = np.argsort(-predictions.scores, kind="stable").tolist()
    means = []
    for limit in THRESHOLDS:
        hits: dict[int, list[bool]] = {label: [] for label in counts}
        taken: set[tuple[int, int, int]] = set()
        for row in ranked:
            label, recording = predictions.labels[row], predictions.recordings[row]
            if label not in hits:
                continue
            start_s, end_s = predictions.starts_s[row], predictions.ends_s[row]
            best, place = -1.0, -1
            for number, (low_s, high_s) in enumerate(truths.get((label, recording), ())):
                overlap = max(0.0, min(end_s, high_s) - max(start_s, low_s))
                iou = overlap / (end_s - start_s + high_s - low_s - overlap)
                if iou > best and (label, recording, number) not in taken:
                    best, place = iou, number
            hits[label].append(best >= limit)
            if best >= limit:
                taken.add((label, recording, place))
        areas = [_plain_area(found, counts[label]) for label, found in hits.items()]
        means.append(sum(areas) / len(areas))
    return means


def _plain_area(hits: list[bool], count: int) -> float:
    area, best, right = 0.0, 0.0, sum(hits)
    for place in range(len(hits) - 1, -1, -1):
        best = max(best, right / (place + 1))
        if hits[place]:
            area += best
            right -= 1
    return area / count


def _areas(answers: int, recordings: int) -> bool:
    rng = np.random.default_rng(0)
    print(f"area under the curve of {answers:,} answers on {recordings} recordings")
    seconds = []
    for count in (answers // 10, answers):
        truth = rng.random(count) < 0.3
        scores = rng.normal(size=count) + truth
        owners = rng.integers(0, recordings, count)
        prepare = partial(AreaByRecording.of, truth, scores, owners)
        took_s, prepared = _fastest(prepare)
        seconds.append(took_s)
    small_s, whole_s = seconds
    growth = whole_s / small_s
    print(f"  prepared in {whole_s:.2f} s (goal: {MOST_PREPARATION_S:g}), ", end="")
    print(f"{growth:.1f} times that of a tenth of them (goal: at most {MOST_GROWTH:g})")
    drawn = rng.multinomial(recordings, np.full(recordings, 1 / recordings), size=DRAWS)
    draws_s, areas = _fastest(lambda: prepared.areas(drawn.astype(np.float64)))
    times = drawn[0][owners]
    peer_s, anew = _fastest(
        lambda: curve(np.repeat(truth, times), np.repeat(scores, times)), rounds=1
    )
    assert anew is not None
    is_same = abs(anew.area - areas[0]) < 1e-9
    print(f"  {DRAWS:,} draws in {draws_s:.3f} s (goal: {MOST_DRAWS_S:g}); one draw computed anew ")
    print(f"  takes {peer_s:.2f} s: {peer_s * DRAWS / draws_s:,.0f} times as long; same: {is_same}")
    is_fast = whole_s <= MOST_PREPARATION_S and draws_s <= MOST_DRAWS_S
    return is_same and is_fast and growth <= MOST_GROWTH


def _fastest(work: Callable[[], Result], *, rounds: int = 3) -> tuple[float, Result]:
    times = []
    for _ in range(rounds):
        started = time.perf_counter()
        found = work()
        times.append(time.perf_counter() - started)
    return min(times), found


if __name__ == "__main__":
    sys.exit(main())
