"""Item sets and an upload of the published annotations, imported as a site would."""

import csv
import json
from collections import Counter

import pytest

from annotation.engine.corpus.formats import captaincook4d
from annotation.models import Dataset
from annotation.services.corpus.imports import ImportTarget, import_reading
from benchmarks.selectors.graphs import procedures_of, walks_of
from tests.benchmarks.made import as_lines, figures_of, frozen_set, made_set, uploaded

pytestmark = [pytest.mark.shared_data, pytest.mark.django_db]
BY_RECORDING = {"division": "by recording"}


@pytest.fixture
def dataset(shared_data, owner):
    reading = captaincook4d.read(shared_data / "captaincook4d")
    target = ImportTarget(name="CaptainCook4D", format="captaincook4d", owner=owner)
    import_reading(reading, target=target, actor=owner)
    return Dataset.objects.get(name="CaptainCook4D")


def test_published_annotations_become_items_and_predictions_get_their_figures(
    dataset, owner, shared_data
):
    expected = json.loads((shared_data / "detection/EXPECTED_metrics.json").read_text())
    division = expected["captaincook4d"]["splits_error_recognition"]["recordings"]
    made = made_set(
        dataset,
        owner,
        "error_recognition",
        settings=BY_RECORDING | {"recordings": json.dumps(division)},
    )
    test = made.items.filter(part="test")
    errors = [row for row in test if row.truth["answer"] == "yes"]
    assert (test.count(), len(errors), made.items.count()) == (671, 241, 5_324)
    assert len(test[0].payload["graph"]["nodes"]) >= 7

    with (shared_data / "detection/real_predictions/preds.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    only = " ".join(sorted({row["video-id"] for row in rows}))
    localised = frozen_set(dataset, owner, "step_localisation", settings={"only": only})
    key_of = dict(localised.items.values_list("source_key", "key"))
    values = {key: {"intervals": []} for key in key_of.values()}
    for row in rows:
        uid = row["video-id"]
        key = key_of.get(f"take:{uid}") or key_of[f"trace:{uid}"]
        values[key]["intervals"].append(
            {
                "start_s": float(row["t-start"]),
                "end_s": float(row["t-end"]),
                "label": row["label"],
                "score": float(row["score"]),
            }
        )

    found = figures_of(uploaded(localised, owner, as_lines(values), "preds.jsonl"))

    assert round(100 * found["map_0.1"][0], 2) == 43.58
    assert round(100 * found["map_0.1_code"][0], 2) == 41.19
    assert found["map_0.1"][1] < found["map_0.1"][0] < found["map_0.1"][2]


def test_recordings_walk_through_the_published_graphs_as_counted(dataset, shared_data):
    counted = json.loads((shared_data / "detection/EXPECTED_metrics.json").read_text())
    expected = counted["captaincook4d"]["order_check"]
    procedures = procedures_of(dataset)

    walked = walks_of(dataset, procedures, has_marks=True)

    assert len(procedures) == 24
    assert all(step.is_matched for procedure in procedures for step in procedure.steps)
    assert max(procedure.order_count for procedure in procedures) == 15_850_598_400
    valid = Counter((one.recording.is_normal, one.walk.check.is_valid) for one in walked)
    assert list(expected["fully_valid_orders"].values()) == [
        valid[True, True], valid[True, False], valid[False, True], valid[False, False],
    ]  # fmt: skip
    reverted = Counter(
        (
            not one.walk.check.is_order_right,
            any("Order Error" in row.marks for row in one.recording.rows),
        )
        for one in walked
    )
    assert list(expected["recordings"].values()) == [
        reverted[True, True], reverted[True, False], reverted[False, True], reverted[False, False],
    ]  # fmt: skip
    assert sum(one.is_suspect for one in walked) == 32
