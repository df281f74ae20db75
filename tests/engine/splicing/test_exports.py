"""The form in which the new annotation leaves the house."""

import pytest

from annotation.engine.taxonomy import Mod
from generation.engine.splicing.annotations import ego_exo4d_document
from generation.engine.splicing.edit_list import EditList
from generation.engine.splicing.planning import plan_edits
from tests.engine.splicing.takes import make_take, make_trace

TAKE = make_take((0.5, 4), (5, 8), (9, 11))


@pytest.fixture
def edits() -> EditList:
    trace = make_trace(
        (Mod.ERROR, 0), (Mod.CORRECTION, None), (Mod.DELETION, 1), (Mod.UNCHANGED, 2)
    )
    return plan_edits(take=TAKE, trace=trace, source_duration_s=12.0)


def test_ego_exo4d_form_labels_every_segment_and_lists_what_is_missing(edits: EditList) -> None:
    document = ego_exo4d_document(edits, TAKE)

    [annotation] = document["annotations"]
    assert {key: annotation[key] for key in ("take_uid", "source_take_uid", "duration")} == {
        "take_uid": "trace-1",
        "source_take_uid": "take-1",
        "duration": 15.0,
    }
    assert annotation["segments"][0] == {
        "start_time": 0.5,
        "end_time": 4.0,
        "step_id": 100,
        "step_name": "Thing 0",
        "is_essential": True,
        "step_description": "Row 0",
        "label": "mistake",
        "mod": "e",
        "mistake_type": "WE",
        "event_id": "E0",
        "source_step_index": 0,
        "source_ranges": [[0.5, 4]],
        "is_generated": True,
    }
    assert [(part["label"], part["start_time"]) for part in annotation["segments"]] == [
        ("mistake", 0.5),
        ("correction", 4.0),
        ("unchanged", 12.0),
    ]
    assert annotation["missing_steps"] == [
        {
            "step_id": 101,
            "step_name": "Thing 1",
            "is_essential": True,
            "step_description": "Do thing 1",
            "label": "missing",
            "mod": "d",
            "mistake_type": "D",
            "event_id": "E2",
            "source_step_index": 1,
            "source_ranges": [[5, 8]],
        }
    ]
