import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from annotation.engine.corpus.formats import egoper
from annotation.engine.corpus.formats.errors import FormatError
from annotation.engine.corpus.procedure import Event, NativeLabel, TraceStep
from annotation.engine.taxonomy import EventKind, Mod, TaxonomyLabel
from tests.engine.corpus.formats.bad_input import assert_reads_or_refuses, spoiled

NORMAL_ID, ERROR_ID = "coffee_u1_a1_normal_001", "coffee_u1_a5_error_025"


def _video(uid, *rows):
    return {
        "video_id": uid,
        "labels": {
            "action": [row[0] for row in rows],
            "action_type": [row[1] for row in rows],
            "time_stamp": [[row[2], row[3]] for row in rows],
            "error_description": [row[4] for row in rows],
        },
    }


def _document():
    return {
        "coffee": {
            "action2idx": {"BG": 0, "Grind beans": 1, "Pour water": 2},
            "actiontype2idx": {
                "Normal": 0,
                "Error_Modification": 1,
                "Error_Slip": 2,
                "Error_Correction": 3,
                "Error_Addition": 4,
            },
            "segments": [
                _video(NORMAL_ID, (0, 0, 0.0, 1.0, ""), (1, 0, 1, 2, ""), (2, 0, 2, 3, "")),
                _video(
                    ERROR_ID,
                    (1, 2, 0.0, 1.0, "Spill beans"),
                    (1, 3, 1.0, 2.0, "Pick them up"),
                    (0, 4, 2.0, 3.0, "Add sugar"),
                    (2, 1, 3.0, 4.0, "Pour milk"),
                ),
            ],
        }
    }


def _write(folder: Path, document: object) -> Path:
    path = folder / "annotation.json"
    path.write_text(json.dumps(document))
    return path


def test_format_is_labelled_unverified():
    assert egoper.IS_VERIFIED is False


@pytest.fixture
def reading(tmp_path):
    return egoper.read(_write(tmp_path, _document()))


def test_normal_video_becomes_a_take_without_its_background(reading):
    assert [(take.uid, [step.text for step in take.steps]) for take in reading.takes] == [
        (NORMAL_ID, ["Grind beans", "Pour water"])
    ]
    assert [(item.where, item.message) for item in reading.warnings] == [
        (f"video {NORMAL_ID}", "1 background segments left out")
    ]


def test_video_with_errors_becomes_a_trace_that_keeps_descriptions_and_labels(reading):
    spill = (NativeLabel("Error_Slip", "Spill beans"),)
    pick_up = (NativeLabel("Error_Correction", "Pick them up"),)
    sugar = (NativeLabel("Error_Addition", "Add sugar"),)
    milk = (NativeLabel("Error_Modification", "Pour milk"),)
    assert [(trace.uid, trace.steps) for trace in reading.traces] == [
        (
            ERROR_ID,
            (
                TraceStep(Mod.ERROR, "Spill beans", 0, "E01", "Grind beans", 0.0, 1.0, spill),
                TraceStep(
                    Mod.CORRECTION, "Pick them up", None, "C01", "Grind beans", 1.0, 2.0, pick_up
                ),
                TraceStep(Mod.INSERTION, "Add sugar", None, "E02", "", 2.0, 3.0, sugar),
                TraceStep(Mod.ERROR, "Pour milk", 1, "E03", "Pour water", 3.0, 4.0, milk),
            ),
        )
    ]


def test_error_classes_become_events_of_the_types_that_they_say(reading):
    assert reading.traces[0].events == (
        Event("E01", EventKind.MISTAKE, TaxonomyLabel.WRONG_EXECUTION),
        Event("C01", EventKind.CORRECTION, TaxonomyLabel.CORRECTION),
        Event("E02", EventKind.MISTAKE, TaxonomyLabel.INSERTION),
        Event("E03", EventKind.MISTAKE, None),
    )


def test_segments_are_counted_by_class(reading):
    assert reading.native_labels == {
        "Error_Slip": 1,
        "Error_Correction": 1,
        "Error_Addition": 1,
        "Error_Modification": 1,
    }
    assert reading.derived == {"normal_segments": 2}


def test_read_accepts_names_in_place_of_numbers(tmp_path):
    document = _document()
    numbered = egoper.read(_write(tmp_path, document))
    for video in document["coffee"]["segments"]:
        actions = {0: "BG", 1: "Grind beans", 2: "Pour water"}
        video["labels"]["action"] = [actions[number] for number in video["labels"]["action"]]

    assert egoper.read(_write(tmp_path, document)) == numbered


def test_task_without_normal_video_gets_its_normal_actions(tmp_path):
    document = _document()
    document["coffee"]["segments"][0]["video_id"] = "other"
    document["coffee"]["segments"][0]["labels"]["action_type"] = [0, 0, 2]

    reading = egoper.read(_write(tmp_path, document))

    assert [(take.uid, [step.text for step in take.steps]) for take in reading.takes] == [
        ("coffee:written", ["Grind beans"])
    ]


@pytest.mark.parametrize(
    ("field", "value", "shown"),
    [
        ("action", [1], "'lengths [1, 4]'; expected lists of equal length"),
        ("action", [1, 1, 0, 9], "action[3]: 9; expected a number or name of this task's table"),
        ("time_stamp", [[0, 1]] * 3 + [[2]], "time_stamp[3]: [2]; expected [start, end]"),
        ("time_stamp", [[0, 1]] * 3 + [[2, 1]], "time_stamp[3]: end is 1.0; expected a time not"),
        ("error_description", ["", "", "", 4], "error_description is 4; expected text"),
    ],
)
def test_wrong_columns_are_refused_with_their_place(tmp_path, field, value, shown):
    document = _document()
    document["coffee"]["segments"][1]["labels"][field] = value

    with pytest.raises(FormatError) as caught:
        egoper.read(_write(tmp_path, document))

    assert str(caught.value).startswith("annotation.json, coffee.segments[1].labels")
    assert shown in str(caught.value)


def test_video_twice_is_refused(tmp_path):
    document = _document()
    document["coffee"]["segments"][1]["video_id"] = NORMAL_ID

    with pytest.raises(FormatError, match="expected each video_id once"):
        egoper.read(_write(tmp_path, document))


@settings(
    max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(document=spoiled(_document()))
def test_spoiled_file_is_read_or_refused(tmp_path, document):
    assert_reads_or_refuses(egoper.read, document, tmp_path / "annotation.json")
