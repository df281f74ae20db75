"""Answers about frames: an hour at 2 frames a second of 100 recordings, stored, tallied and drawn.

The peers, measured in the same run: the same numbers as JSON, which is what answers are stored as
otherwise; scikit-learn's area under the curve, once for each draw; key-steps counted anew from the
frames of each draw.

    python -m bench.frames [--recordings 100] [--hours 1]
"""

import argparse
import json
import sys
import time
from collections import defaultdict
from collections.abc import Sequence

import numpy as np
from sklearn.metrics import roc_auc_score

from benchmarks.engine.frame_values import pack_frames
from benchmarks.engine.frames_task import truth_and_answer
from benchmarks.engine.measures.keysteps import keystep_figures
from benchmarks.engine.registry import tasks
from benchmarks.engine.scoring import RESAMPLES, score
from benchmarks.engine.task import Answered, AnswerStatus, Item, Value

FPS, STEPS, CLUSTERS, PROCEDURES = 2.0, 16, 30, 24
# What the project promises.
MOST_S = 10.0
LEAST_TIMES_SMALLER = 2.0


def main() -> int:
    """Print the figures beside their peers; return 1 when a goal is missed."""
    parser = argparse.ArgumentParser(description="Measure answers about frames.")
    parser.add_argument("--recordings", type=int, default=100)
    parser.add_argument("--hours", type=float, default=1.0)
    options = parser.parse_args()
    frames = int(options.hours * 3600 * FPS)
    rng = np.random.default_rng(0)
    answers = {
        "anomaly": rng.random((options.recordings, frames), dtype=np.float32).astype(np.float64),
        "procedure_learning": rng.integers(CLUSTERS, size=(options.recordings, frames)),
    }
    print(f"{options.recordings} recordings of {frames:,} frames, {RESAMPLES:,} draws")
    is_met = []
    for name, numbers in answers.items():
        items = [_item(name, number, frames) for number in range(options.recordings)]
        started = time.perf_counter()
        values = [pack_frames(one, FPS) for one in numbers]
        packed_s = time.perf_counter() - started
        stored = sum(len(json.dumps(value)) for value in values)
        plain = sum(len(json.dumps(one.tolist())) for one in numbers)
        started = time.perf_counter()
        tally = tasks()[name].tally(items, [Answered(AnswerStatus.READ, one) for one in values])
        found = score(tally)
        own_s = time.perf_counter() - started
        started = time.perf_counter()
        peer = _area(items, values) if name == "anomaly" else _recall(items, values)
        peer_s = (time.perf_counter() - started) * RESAMPLES
        key = "auc" if name == "anomaly" else "recall_code"
        is_same = abs(peer - (found[key].value or 0.0)) < 1e-9
        print(f"{name}: {stored / 1e6:.1f} MB, as JSON {plain / stored:.1f} times as much ", end="")
        print(f"(goal: {LEAST_TIMES_SMALLER:g}), packed in {packed_s:.1f} s")
        print(f"  figures with intervals in {own_s:.1f} s (goal: {MOST_S:g}); one measure anew for")
        print(f"  each draw {peer_s / own_s:,.0f} times as long; both give the same: {is_same}")
        is_met += [is_same, own_s <= MOST_S, plain / stored >= LEAST_TIMES_SMALLER]
    return 0 if all(is_met) else 1


def _area(items: Sequence[Item], values: Sequence[Value]) -> float:
    codes = {"mistake": 1}
    pairs = [
        truth_and_answer(item, value, codes) for item, value in zip(items, values, strict=True)
    ]
    truth, predicted = (np.concatenate(side) for side in zip(*pairs, strict=True))
    return float(roc_auc_score(truth, predicted))


def _recall(items: Sequence[Item], values: Sequence[Value]) -> float:
    codes = {str(step): step + 1 for step in range(STEPS)}
    of_procedure = defaultdict(list)
    for item, value in zip(items, values, strict=True):
        of_procedure[item.procedure].append(truth_and_answer(item, value, codes))
    recalls = []
    for pairs in of_procedure.values():
        truth, predicted = (np.concatenate(side) for side in zip(*pairs, strict=True))
        found = keystep_figures(predicted, truth, cluster_count=CLUSTERS, class_count=STEPS + 1)
        assert found is not None
        recalls.append(found.recall)
    return float(np.mean(recalls))


def _item(task: str, number: int, frames: int) -> Item:
    length_s = frames / FPS
    edges = np.linspace(0, length_s, 2 * STEPS + 1).tolist()
    steps = [str(step) for step in range(STEPS)]
    intervals = [
        {
            "start_s": edges[2 * at],
            "end_s": edges[2 * at + 1],
            "label": step if task == "procedure_learning" else "mistake",
        }
        for at, step in enumerate(steps)
    ]
    return Item(
        key=f"{number}",
        recording=f"{number}",
        payload={
            "fps": FPS, "frame_count": frames, "duration_s": length_s, "has_video": True,
            "steps": [[step, step] for step in steps], "clusters": CLUSTERS,
        },
        truth={"intervals": intervals},
        procedure=f"{number % PROCEDURES}",
    )  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
