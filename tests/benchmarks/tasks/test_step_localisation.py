"""The published predictions through the task, and what its draws are."""

import csv
import json

import numpy as np
import pytest

from annotation.engine.corpus.formats import captaincook4d
from benchmarks.engine.answers.files import read_answers
from benchmarks.engine.material import Material, Recording
from benchmarks.engine.task import MISSING, Answered, AnswerStatus
from benchmarks.engine.tasks.step_localisation import TASK
from tests.benchmarks.tasks.material import figures, read

pytestmark = pytest.mark.shared_data
SETTINGS = {"recordings": "all recordings", "only": "", "train": ""}


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


@pytest.fixture(scope="module")
def said(shared_data, items):
    """The released file as it is, through the frame's reader, with recordings that it lacks."""
    content = (shared_data / "detection/real_predictions/preds.csv").read_bytes()
    keys = {f"k{place}": item for place, item in enumerate(items)}
    found = read_answers(TASK, keys, "preds.csv", content, counts_missing=True)
    assert len(found.missing) == 34
    return [
        Answered(AnswerStatus.READ, found.values[key]) if key in found.values else MISSING
        for key in keys
    ]


def test_released_file_is_read_as_it_is_and_scored_against_both_truths(items, said):
    found = figures(TASK, items, said)

    keys = ("map_0.1", "map_0.1_code", "map_0.1_of_all", "map_0.1_code_of_all")
    assert [round(100 * found[key], 2) for key in keys] == [43.58, 41.19, 13.9, 13.76]
    recalls = (found["recall_1_0.1"], found["recall_1_0.1_of_all"])
    assert [round(100 * one, 2) for one in recalls] == [66.71, 22.38]


def test_robustness_has_the_truth_of_each_and_that_of_all(items):
    parts = TASK.baselines(items, np.random.default_rng(0))[1]
    [table] = TASK.details(items, read(*parts.values), {})

    rows = {
        (group.title[:15], row.label.value): {key: cell.value for key, cell in row.cells.items()}
        for group in table.groups
        for row in group.rows
    }
    own, of_all = "Each against it", "Each against th"
    whole = rows["", "All recordings"]
    normal, wrong = (rows[of_all, f"Recordings {kind} errors"] for kind in ("without", "with"))
    assert whole["recordings"] == normal["recordings"] + wrong["recordings"] == 53
    for key in ("recall_1_0.1", "recall_5_0.5"):
        assert normal[key] + wrong[key] == pytest.approx(whole[key])
        for kind in ("without", "with"):
            name = f"Recordings {kind} errors"
            assert rows[own, name][key] > rows[of_all, name][key]
    assert normal["recordings"] == 32
    assert rows[own, "By number, planned without errors"]["recordings"] > 32


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


def test_unknown_recording_is_named(material):
    with pytest.raises(ValueError, match="99_99: CaptainCook4D has no such recordings"):
        list(TASK.items(material, {**SETTINGS, "only": "99_99"}, 0))


def test_recordings_without_errors_can_be_chosen(material):
    counts = [
        len(list(TASK.items(material, {**SETTINGS, "recordings": name}, 0)))
        for name in ("all recordings", "recordings without errors", "recordings with errors")
    ]

    assert counts == [384, 164, 220]
    names = TASK.settings[0].choices[3:]
    by_number = [list(TASK.items(material, {**SETTINGS, "recordings": name}, 0)) for name in names]
    assert [len(found) for found in by_number] == [205, 179]
    assert sum(item.groups["errors"] == "with errors" for item in by_number[0]) == 41


def test_a_model_may_be_trained_on_normal_recordings_and_asked_about_others(material, shared_data):
    folder = shared_data / "captaincook4d/data_splits"
    normal, both = (
        json.loads((folder / f"environment_data_split_{name}.json").read_text())
        for name in ("normal", "combined")
    )
    chosen = {"only": " ".join(both["test"]), "train": " ".join(normal["train"])}

    found = list(TASK.items(material, SETTINGS | chosen, 0))

    parts = [(item.part, item.groups["errors"]) for item in found]
    assert [parts.count(one) for one in dict.fromkeys(sorted(parts))] == [21, 32, 84]
    with pytest.raises(ValueError, match="1_7: to train on and to be asked about"):
        list(TASK.items(material, SETTINGS | {"only": "1_7", "train": "1_7"}, 0))
