"""Procedure learning and anomaly detection on the published annotations of CaptainCook4D."""

import numpy as np
import pytest

from annotation.engine.corpus.formats import captaincook4d
from benchmarks.engine.frame_values import pack_frames
from benchmarks.engine.material import Material, Recording
from benchmarks.engine.registry import tasks
from benchmarks.engine.scoring import score
from tests.benchmarks.tasks.material import figures, read

pytestmark = pytest.mark.shared_data
LEARNING, ANOMALY = tasks()["procedure_learning"], tasks()["anomaly"]
SETTINGS = {"recordings": "recordings without errors", "fps": 2.0, "clusters": 30}


@pytest.fixture(scope="module")
def material(shared_data):
    reading = captaincook4d.read(shared_data / "captaincook4d")
    takes = {take.uid: take for take in reading.takes}
    recordings = [Recording(f"take:{take.uid}", take) for take in reading.takes]
    recordings += [
        Recording(f"trace:{trace.uid}", takes[trace.take_uid], trace) for trace in reading.traces
    ]
    return Material("CaptainCook4D", tuple(recordings))


@pytest.mark.parametrize(
    ("fps", "expected"), [(2.0, (9.3, 5.1, 2.9)), (15.0, (7.7, 3.9, 2.3))], ids=["2", "15"]
)
def test_random_clusters_find_little_more_than_one_in_thirty(material, fps, expected):
    """Published, of an unknown number of frames: 7.61, 3.92 and 2.22."""
    items = list(LEARNING.items(material, SETTINGS | {"fps": fps}, 0))
    rng = np.random.default_rng(0)
    counts = [item.payload["frame_count"] for item in items]

    found = figures(
        LEARNING, items, read(*(pack_frames(rng.integers(30, size=n), fps) for n in counts))
    )

    assert len(items) == 164
    by_code = [100 * found[f"{name}_code"] for name in ("precision", "recall", "iou")]
    assert by_code == pytest.approx(expected, abs=0.15)
    assert found["recall_code"] > 1 / 30


def test_an_interval_of_matched_clusters_lies_around_its_figure(material):
    """Matched anew in every draw it would not: doubled recordings fit better than single ones."""
    items = list(LEARNING.items(material, SETTINGS, 0))
    parts = LEARNING.baselines(items, np.random.default_rng(0))[2]

    found = score(LEARNING.tally(items, read(*parts.values)))

    for name in ("precision", "recall", "iou", "f1"):
        one = found[name + "_code"]
        assert one.interval.low < one.value < one.interval.high
    assert round(found["recall"].value, 3) == 0.428


def test_frames_of_mistakes_are_abnormal_and_left_out_steps_have_none(material):
    items = list(ANOMALY.items(material, {"fps": 2.0, "only": ""}, 0))
    alike, _, later = ANOMALY.baselines(items, np.random.default_rng(0))

    found = figures(ANOMALY, items, read(*later.values))
    [table] = ANOMALY.details(items, read(*alike.values), {})

    assert (len(items), sum(bool(item.truth["intervals"]) for item in items)) == (384, 214)
    assert [round(100 * found[key], 1) for key in ("auc", "auc_mean")] == [42.8, 51.2]
    even = figures(ANOMALY, items, read(*alike.values))
    assert [even[key] for key in ("auc", "eer", "auc_mean", "eer_mean")] == [0.5] * 4
    rows = table.groups[0].rows
    assert sum("auc" in row.cells for row in rows) == 214
