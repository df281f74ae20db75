"""The published predictions through the task, and what its draws are."""

import csv
import json

import numpy as np
import pytest

from annotation.engine.formats import captaincook4d
from benchmarks.engine.material import Material, Recording
from benchmarks.engine.task import Answered, AnswerStatus
from benchmarks.engine.tasks.step_localisation import TASK

pytestmark = pytest.mark.shared_data
SETTINGS = {"recordings": "all recordings", "only": ""}


@pytest.fixture(scope="module")
def material(shared_data):
    reading = captaincook4d.read(shared_data / "captaincook4d")
    takes = {take.uid: take for take in reading.takes}
    recordings = [Recording(f"take:{take.uid}", take) for take in reading.takes]
    recordings += [
        Recording(f"trace:{trace.uid}", takes[trace.take_uid], trace) for trace in reading.traces
    ]
    return Material("CaptainCook4D", tuple(recordings))


@pytest.fixture(scope="module")
def predictions(shared_data):
    found = {}
    path = shared_data / "detection/real_predictions/preds.csv"
    with path.open(newline="") as file:
        for row in csv.DictReader(file):
            found.setdefault(row["video-id"], []).append(
                {
                    "start_s": float(row["t-start"]),
                    "end_s": float(row["t-end"]),
                    "label": row["label"],
                    "score": float(row["score"]),
                }
            )
    return found


@pytest.fixture(scope="module")
def items(material, shared_data):
    split = shared_data / "captaincook4d/data_splits/environment_data_split_combined.json"
    only = " ".join(json.loads(split.read_text())["test"])
    return list(TASK.items(material, {**SETTINGS, "only": only}, 0))


def test_the_published_predictions_get_both_figures(items, predictions):
    answers = [
        Answered(AnswerStatus.READ, {"intervals": predictions.get(item.take, [])}) for item in items
    ]

    tally = TASK.tally(items, answers)

    whole = np.concatenate([np.eye(53), tally.sums[:, 53:]], axis=1).sum(axis=0, keepdims=True)
    assert len(items) == 53
    found = {key: round(100 * float(figure(whole)[0]), 2) for key, figure in tally.figures.items()}
    assert (found["map_0.1"], found["map_0.1_code"]) == (13.9, 13.76)
    assert (found["map_0.5"], found["map"]) == (10.58, 12.41)
    assert (found["recall_1_0.1"], found["recall_5_0.5"]) == (22.38, 21.91)


def test_of_the_predicted_recordings_alone_as_well(items, predictions):
    there = [item for item in items if item.take in predictions]
    answers = [Answered(AnswerStatus.READ, {"intervals": predictions[item.take]}) for item in there]

    tally = TASK.tally(there, answers)

    whole = tally.sums.sum(axis=0, keepdims=True)
    found = {key: round(100 * float(figure(whole)[0]), 2) for key, figure in tally.figures.items()}
    assert (len(there), found["map_0.1"], found["map_0.1_code"]) == (19, 43.58, 41.19)
    assert found["per_recording"] == 200_000  # a hundred times 2,000


def test_a_recording_that_is_not_there_is_named(material):
    with pytest.raises(ValueError, match="99_99: CaptainCook4D has no such recordings"):
        list(TASK.items(material, {**SETTINGS, "only": "99_99"}, 0))


def test_recordings_without_errors_are_told_apart(material):
    counts = [
        len(list(TASK.items(material, {**SETTINGS, "recordings": name}, 0)))
        for name in ("all recordings", "recordings without errors", "recordings with errors")
    ]

    assert counts[0] == counts[1] + counts[2] == 384
