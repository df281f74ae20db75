"""Published files of segments, read and written again, and what a change changes in them."""

import json
from dataclasses import replace

import pytest

from annotation.engine.corpus.formats.errors import FormatError
from segments.engine.model import Segment
from segments.formats.exchange import SegmentFile, Settings, segment_formats

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
