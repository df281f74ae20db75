"""ActivityNet's JSON: what comes back, a file of others, predictions, what is refused."""

import json
from dataclasses import replace

import pytest

from annotation.engine.corpus.formats.errors import FormatError
from segments.engine.model import Segment
from segments.formats.exchange import SegmentedRecording, SegmentFile, Settings, segment_formats
from tests.segments.formats.test_round_trips import again, random_file

ACTIVITYNET = segment_formats()["activitynet"]


def read(document, tmp_path):
    path = tmp_path / "tea.json"
    path.write_text(document if isinstance(document, str) else json.dumps(document))
    return ACTIVITYNET.read(path, Settings())


def database(*annotations):
    return {"database": {"v1": {"duration": 90.5, "annotations": list(annotations)}}}


@pytest.mark.parametrize("seed", range(10))
def test_everything_comes_back_with_its_scores(seed, tmp_path):
    plain, *others = random_file(seed).recordings
    scored = [replace(item, scores={"k0": 0.25, "m": -3.0}, duration_s=99) for item in others]

    read_again = again("activitynet", SegmentFile((plain, *scored)), tmp_path)

    for ours, theirs in zip((plain, *scored), read_again.recordings, strict=True):
        assert set(theirs.segments) == set(ours.segments)
        assert replace(theirs, segments=()) == replace(ours, segments=())


def test_readers_of_activitynet_find_times_label_and_duration():
    segments = (
        Segment("a", "steps", 1.0, 2.5, "0", "slip", "spilt"),
        Segment("b", "mistakes", 3, 4, label="others"),
        Segment("c", "steps", None, None, "1"),
    )
    recording = SegmentedRecording("v1", segments, steps={"0": "Boil  water"}, scores={"a": 0.5})

    document = json.loads(ACTIVITYNET.write(SegmentFile((recording,)), Settings()).text)

    entry = document["database"]["v1"]
    first, second = entry["annotations"]
    remark = first.pop("piev")
    assert first == {
        "segment": [1.0, 2.5], "label": "Boil water", "piev_label": "slip", "piev_text": "spilt",
        "score": 0.5,
    }  # fmt: skip
    assert json.loads(remark)["key"] == "a"
    assert (second["segment"], second["label"]) == ([3, 4], "others")
    assert (entry["duration"], entry["subset"], len(entry["piev_untimed"])) == (4, "validation", 1)


def test_files_of_others_keep_their_labels(tmp_path):
    boil = {"segment": [6.75, 19.5], "label": "Boiling water"}
    numbered = {"segment": [20, 30], "label": 7}
    document = {"version": "1.3", "taxonomy": [{"nodeId": 7}], **database(boil, numbered)}

    file = read(document, tmp_path)

    assert file.notes == ()
    assert file.recordings == (
        SegmentedRecording(
            "v1",
            (
                Segment("s1", "steps", 6.75, 19.5, label="Boiling water"),
                Segment("s2", "steps", 20, 30, label="7"),
            ),
        ),
    )


def test_predictions_are_read_with_their_scores(tmp_path):
    rows = [
        {"segment": [1.5, 2.5], "label": "pour", "score": 0.75},
        {"segment": [3.0, 4.0], "label": "stir", "score": -1},
    ]

    file = read({"version": "x", "results": {"v2": rows}, "external_data": {}}, tmp_path)

    [recording] = file.recordings
    assert recording.uid == "v2"
    assert [item.label for item in recording.segments] == ["pour", "stir"]
    assert recording.scores == {"s1": 0.75, "s2": -1.0}


ROW = {"segment": [1, 2], "label": "x"}
PLACE = r"database\.v1\.annotations\[0\]"


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ("[1", "line 1 column 3"),
        ([], r"tea\.json: \[\]; expected an object"),
        ({"version": "1"}, "database is None; expected this field to be present"),
        ({"database": []}, r"database: \[\]; expected an object"),
        ({"results": {"v": {}}}, r"results\.v: {}; expected a list"),
        ({"database": {"v1": {}}}, r"database\.v1: annotations is None; expected this field"),
        (database({"label": "x"}), f"{PLACE}: segment is None; expected this field"),
        (database({"segment": [1, 2]}), f"{PLACE}: label is None; expected this field"),
        (database(ROW | {"label": ["x"]}), rf"{PLACE}: label is .*; expected an id: text or a who"),
        *(
            (database(ROW | {"segment": span}), rf"{PLACE}: segment is .*; expected \[start, end\]")
            for span in ([2, 1], [-1, 2], [1], "1-2", [1, "2"], [True, 2], [1, 1e9], [1, None])
        ),
        (database(ROW | {"score": "high"}), f"{PLACE}: score is 'high'; expected a finite number"),
        (database(ROW | {"piev": '{"key": 3}'}), f"{PLACE}: key is 3; expected text"),
        ('{"database": {"v": {}, "v": {}}}', "'v'; expected each key of an object once"),
    ],
)
def test_faults_are_named_by_their_place_in_the_file(document, message, tmp_path):
    with pytest.raises(FormatError, match=message):
        read(document, tmp_path)


def test_all_faults_of_a_file_are_named_at_once(tmp_path):
    with pytest.raises(FormatError) as caught:
        read(database({"label": "x"}, ROW, {"segment": [3, 1], "label": "y"}), tmp_path)

    assert [(item.place, item.field) for item in caught.value.problems] == [
        ("database.v1.annotations[0]", "segment"),
        ("database.v1.annotations[2]", "segment"),
    ]
