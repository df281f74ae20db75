"""Published files of segments, read and written again, and what a change changes in them."""

import json
from dataclasses import replace

import pytest

from annotation.engine.corpus.formats.errors import FormatError
from segments.engine.model import Segment
from segments.formats.exchange import SegmentedRecording, SegmentFile, Settings, segment_formats

SETTINGS = Settings()
PUBLISHED = [
    ("egooops", "egooops/meta/metadata.json", 50, 538),
    ("captaincook4d", "captaincook4d/annotation_json/error_annotations.json", 384, 5700 + 2574),
]
STEP = {"startTime": 1.5, "endTime": 4, "instruction": 0, "labels": [], "caption": "", "by": "A"}
EGOOOPS = {
    "videos": [{"task_id": "tea", "video_id": "v1", "segments": [STEP]}],
    "instructions": {"tea": ["Boil water", "Pour it"]},
}
COOK = [
    {
        "recording_id": "1_7",
        "activity_id": 1,
        "is_error": False,
        "step_annotations": [
            {"description": "Boil water", "step_id": 3, "start_time": 1, "end_time": 4.5},
            {
                "description": "Pour it",
                "step_id": 4,
                "start_time": -1.0,
                "end_time": -1.0,
                "errors": [{"tag": "Missing Step", "description": "not poured"}],
            },
        ],
    }
]


def read(name, document, tmp_path):
    path = tmp_path / "file.json"
    path.write_text(document if isinstance(document, str) else json.dumps(document))
    return segment_formats()[name].read(path, SETTINGS)


def written(name, file):
    return json.loads(segment_formats()[name].write(file, SETTINGS).text)


@pytest.mark.parametrize(("name", "path", "recordings", "segments"), PUBLISHED)
def test_published_file_comes_back_as_it_is(name, path, recordings, segments, shared_data):
    known = segment_formats()[name]

    file = known.read(shared_data / path, SETTINGS)

    assert len(file.recordings) == recordings
    assert sum(len(item.segments) for item in file.recordings) == segments
    assert known.write(file, SETTINGS).text == (shared_data / path).read_text()


def test_egooops_keeps_what_nobody_touched(tmp_path):
    file = read("egooops", EGOOOPS, tmp_path)
    [recording] = file.recordings
    changed = replace(recording.segments[0], end_s=3.9, label="others", text="spill")
    added = Segment("n1", "steps", 0.5, 1.0, "-1", text="grasp cup")
    missing = Segment("n2", "steps", None, None, "1")
    recording = replace(recording, segments=(changed, added, missing))

    document = written("egooops", replace(file, recordings=(recording,)))

    assert document["instructions"] == EGOOOPS["instructions"]
    assert document["videos"][0]["segments"] == [
        {"startTime": 0.5, "endTime": 1.0, "instruction": -1, "labels": [], "caption": "grasp cup"},
        {**STEP, "endTime": 3.9, "labels": [5], "caption": "spill"},
    ]


def test_egooops_is_written_from_nothing(tmp_path):
    file = read("egooops", EGOOOPS, tmp_path)

    document = written("egooops", replace(file, original=None))

    del STEP["by"]
    assert document == {**EGOOOPS, "videos": [{**EGOOOPS["videos"][0], "segments": [STEP]}]}


def test_captaincook4d_reads_missing_steps_and_errors(tmp_path):
    [recording] = read("captaincook4d", COOK, tmp_path).recordings

    assert recording.segments == (
        Segment("1_7-0", "steps", 1, 4.5, "3"),
        Segment("1_7-1", "steps", None, None, "4"),
        Segment(
            "1_7-1-0", "mistakes", None, None, label="Missing Step", text="not poured",
            parent_key="1_7-1",
        ),
    )  # fmt: skip


def test_captaincook4d_writes_what_was_changed(tmp_path):
    file = read("captaincook4d", COOK, tmp_path)
    [recording] = file.recordings
    first, second, mistake = recording.segments
    segments = (
        replace(first, text="Boil milk"),
        replace(second, start_s=5.0, end_s=7.0),
        replace(mistake, is_deleted=True),
        Segment("n1", "mistakes", None, None, label="Other", text="milk", parent_key="1_7-0"),
    )
    file = replace(file, recordings=(replace(recording, segments=segments),))

    [entry] = written("captaincook4d", file)

    steps = COOK[0]["step_annotations"]
    assert entry["is_error"] is True
    assert entry["step_annotations"] == [
        {
            **steps[0],
            "modified_description": "Boil milk",
            "errors": [{"tag": "Other", "description": "milk"}],
        },
        {"description": "Pour it", "step_id": 4, "start_time": 5.0, "end_time": 7.0},
    ]


@pytest.mark.parametrize(
    ("name", "document", "message"),
    [
        ("egooops", {"videos": [], "instructions": 3}, "instructions: 3; expected an object"),
        (
            "egooops",
            {**EGOOOPS, "videos": [{"task_id": "tea", "video_id": "v1", "segments": [
                {**STEP, "endTime": 1}, {**STEP, "labels": [9]}, {**STEP, "instruction": 2}]}]},
            r"(?s)segments\[0\]: endTime is 1.*labels\[0\]: 9; expected.*instruction is '2'",
        ),
        ("captaincook4d", [{"recording_id": "1"}], "step_annotations is None; expected this field"),
    ],
)  # fmt: skip
def test_faults_are_told_together(name, document, message, tmp_path):
    with pytest.raises(FormatError, match=message):
        read(name, document, tmp_path)


def test_a_file_of_nothing_is_a_file():
    assert written("captaincook4d", SegmentFile(())) == []


LABELLED = (
    Segment("k0", "steps", 1.0, 4.0, "0", "working with wrong objects",
            "use cup but should use pot"),
    Segment("k1", "steps", 5.0, 9.0, "1"),
    Segment("k2", "steps", 9.0, 10.0, "-1", text="sing"),
)  # fmt: skip
WITH_MISTAKES = (
    Segment("s0", "steps", 1.0, 4.0, "0"),
    Segment("m0", "mistakes", 2.0, 3.0, "", "Technique Error", "spilled", "s0"),
    Segment("s1", "steps", 5.0, 9.0, "1"),
    Segment("m1", "mistakes", None, None, "", "Timing Error", "too late", "s1"),
    Segment("m2", "mistakes", None, None, "", "Other", "", "s1"),
    Segment("gone", "steps", None, None, "2"),
    Segment("m3", "mistakes", None, None, "", "Missing Step", "no stirring", "gone"),
)
TEA = {"0": "Boil water", "1": "Pour it", "2": "Stir"}


def test_labels_of_another_scheme_are_errors_in_captaincook4d_and_what_is_lost_is_named():
    recording = SegmentedRecording("v1", LABELLED, scenario="tea", steps=TEA)

    found = segment_formats()["captaincook4d"].write(SegmentFile((recording,)), SETTINGS)
    [entry] = json.loads(found.text)

    words = "working with wrong objects: use cup but should use pot"
    assert entry["is_error"] is True
    assert [item.get("errors") for item in entry["step_annotations"]] == [
        [{"tag": "Other", "description": words}], None, None,
    ]  # fmt: skip
    assert [item.get("modified_description") for item in entry["step_annotations"]] == [
        None, None, "sing",
    ]  # fmt: skip
    assert found.notes == (
        "labels that are no tags, written as Other with the label before the words: 1",
        "segments of no step, written with the step -1: 1",
    )
    assert entry["piev_notes"] == list(found.notes)


def test_mistakes_of_their_own_are_labels_in_egooops_and_what_is_lost_is_named():
    recording = SegmentedRecording("v1", WITH_MISTAKES, scenario="tea", steps=TEA)

    found = segment_formats()["egooops"].write(SegmentFile((recording,)), SETTINGS)
    document = json.loads(found.text)

    [video] = document["videos"]
    assert [(item["labels"], item["caption"]) for item in video["segments"]] == [
        ([5], "Technique Error: spilled"),
        ([5], "Timing Error: too late; Other"),
    ]
    assert found.notes == (
        "mistakes of their own, written as the label and the caption of their step: 3",
        "times of mistakes, which last as long as their step here: 1",
        "mistakes that belong to no step with times, left out: 1",
    )
    assert document["piev_notes"] == list(found.notes)


@pytest.mark.parametrize("name", ["egooops", "captaincook4d"])
def test_what_keeps_everything_has_no_notes(name):
    segments = LABELLED[1:2] if name == "captaincook4d" else LABELLED
    recording = SegmentedRecording("v1", segments, scenario="tea", steps=TEA)

    found = segment_formats()[name].write(SegmentFile((recording,)), SETTINGS)

    assert found.notes == ()
    assert "piev_notes" not in found.text
