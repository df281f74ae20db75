"""Formats of other data sets and tools: what comes back, what is counted, what is refused."""

import csv
import json
from dataclasses import replace
from io import StringIO

import pytest

from annotation.engine.corpus.formats.errors import FormatError
from segments.engine.model import Segment
from segments.formats.exchange import SegmentedRecording, SegmentFile, Settings, segment_formats
from tests.segments.formats.test_round_trips import again, random_file

STEP = {
    "start_time": 1.25, "end_time": 3, "step_id": 7, "step_name": "Boil",
    "step_description": "Boil water", "is_essential": True, "step_unique_id": 41, "seen_by": 2,
}  # fmt: skip
TAKE = {"take_uid": "t1", "scenario": "tea", "take_name": "x", "segments": [STEP]}


def read(name, text, tmp_path, settings=None, file_name="v1.csv"):
    path = tmp_path / file_name
    path.write_text(text)
    return segment_formats()[name].read(path, settings or Settings())


def write(name, file, settings=None):
    return segment_formats()[name].write(file, settings or Settings())


@pytest.mark.parametrize("annotations", [[TAKE], {"t1": TAKE}])
def test_keystep_files_keep_what_the_house_does_not_know(annotations, tmp_path):
    document = {"annotations": annotations, "version": "1"}
    file = read("egoexo4d", json.dumps(document), tmp_path)
    [recording] = file.recordings
    [segment] = recording.segments

    assert json.loads(write("egoexo4d", file).text) == document
    moved = replace(segment, end_s=4.5, step_id="8", label="slip")
    written = write("egoexo4d", replace(file, recordings=(replace(recording, segments=(moved,)),)))
    takes = json.loads(written.text)["annotations"]
    [take] = takes.values() if isinstance(takes, dict) else takes
    assert take["segments"] == [
        {"start_time": 1.25, "end_time": 4.5, "step_id": 8, "step_name": "",
         "step_description": "Boil water", "seen_by": 2}
    ]  # fmt: skip
    assert written.notes == ("labels and segments of other tracks left out: 1",)


def test_published_assembly101_files_come_back_as_they_are(shared_data):
    known = segment_formats()["assembly101"]
    paths = sorted((shared_data / "assembly101/annots").glob("*.csv"))

    for path in paths:
        written = known.write(known.read(path, Settings()), Settings())

        assert written.text.splitlines() == path.read_text().splitlines()
        assert written.notes == ()
    assert len(paths) == 328


def test_assembly101_counts_the_edges_that_it_rounds(tmp_path):
    file = read("assembly101", "30,60,attach,wheel,chassis,correct,\n", tmp_path)
    [recording] = file.recordings
    moved = replace(recording.segments[0], end_s=2.99, label="mistake", text="loose")
    added = Segment("n1", "steps", 3.0, 4.0, "detach,wheel,chassis")
    recording = replace(recording, segments=(moved, added))

    written = write("assembly101", replace(file, recordings=(recording,)))

    assert written.text == (
        "30,90,attach,wheel,chassis,mistake,loose\n90,120,detach,wheel,chassis,correct,\n"
    )
    assert written.notes == ("1 edge was moved to a whole frame at 30 a second",)
    theirs = replace(added, label="correction of mistake actions", text="in step 2")
    slip = replace(added, key="n2", label="others")
    untimed = Segment("n3", "steps", None, None, "detach,wheel,chassis")
    converted = write("assembly101", SegmentFile(
        (replace(recording, segments=(theirs, slip, untimed)),)
    ))  # fmt: skip
    assert [line.split(",")[5:] for line in converted.text.splitlines()] == [
        ["correction", "correction of mistake actions: in step 2"], ["mistake", "others"],
    ]  # fmt: skip
    assert converted.notes == (
        "labels of other schemes, written before the remark: 2",
        "segments of other tracks or without times left out: 1",
    )
    lost = replace(recording, segments=(replace(added, step_id="4"),))
    with pytest.raises(ValueError, match="step of n1 is '4'; expected verb,this,that"):
        write("assembly101", SegmentFile((lost,)))


@pytest.mark.parametrize("seed", range(10))
def test_label_studio_brings_seconds_back(seed, tmp_path):
    file = random_file(seed)

    read_again = again("label_studio", file, tmp_path, Settings(rate=30000 / 1001))

    for ours, theirs in zip(file.recordings, read_again.recordings, strict=True):
        assert set(theirs.segments) == set(ours.segments)
        assert replace(theirs, segments=()) == replace(ours, segments=())


def test_label_studio_counts_frames_in_two_ways(tmp_path):
    recording = SegmentedRecording("v1.mp4", (Segment("a", "steps", 1.0, 2.0, "3"),), rate=25)
    text = write("label_studio", SegmentFile((recording,))).text
    [result] = json.loads(text)[0]["annotations"][0]["result"]
    assert result["value"] == {"ranges": [{"start": 26, "end": 50}], "timelinelabels": ["3"]}
    worded = replace(recording, steps={"3": "Boil"})
    named = replace(worded.segments[0], label="slip")
    texts = (
        write(name, SegmentFile((replace(worded, segments=(named,)),)))
        for name in ("label_studio", "boris")
    )
    tasks, rows = (item.text for item in texts)
    [said] = json.loads(tasks)[0]["annotations"][0]["result"]
    assert said["value"]["timelinelabels"] == ["Boil", "slip"]
    assert rows.splitlines()[1].startswith("v1.mp4,,,Boil,slip,STATE,")

    value = {**result["value"], "ranges": [{"start": 25, "end": 50}]}
    results = [{**result, "meta": {}, "value": value}]
    task = {"id": 1, "data": {"video": "v1.mp4"}, "annotations": [{"result": results}]}
    theirs = json.dumps([task])
    by_editor = read("label_studio", theirs, tmp_path, Settings(rate=25))
    by_converter = read("label_studio", theirs, tmp_path, Settings(rate=25, first_frame=0))
    assert by_editor.recordings[0].segments[0].span == (0.96, 2.0)
    assert by_converter.recordings[0].segments[0].span == (1.0, 2.0)
    with pytest.raises(FormatError, match=r"unknown rate.*; expected the frames per second"):
        read("label_studio", theirs, tmp_path)
    with pytest.raises(ValueError, match=r"the rate of v1.mp4 is unknown; expected frames"):
        write("label_studio", SegmentFile((replace(recording, rate=None),)))


def test_a_range_that_was_dragged_in_label_studio_counts(tmp_path):
    recording = SegmentedRecording("v1.mp4", (Segment("a", "steps", 1.0, 2.0, "3"),), rate=25)
    tasks = json.loads(write("label_studio", SegmentFile((recording,))).text)
    tasks[0]["annotations"][0]["result"][0]["value"]["ranges"] = [{"start": 26, "end": 60}]

    [read_again] = read("label_studio", json.dumps(tasks), tmp_path).recordings

    assert read_again.segments == (Segment("a", "steps", 1.0, 2.4, "3"),)


@pytest.mark.parametrize("seed", range(10))
def test_via_brings_everything_back(seed, tmp_path):
    file = random_file(seed)

    assert again("via3", file, tmp_path).recordings == file.recordings


VIA = (
    "# Exported using VGG Image Annotator\n"
    '# ATTRIBUTE = {"1":{"aname":"Step","type":4,"options":{"0":"Boil water","1":"Pour"}},'
    '"3":{"aname":"Scene","type":1,"options":{}}}\n'
    "# CSV_HEADER = metadata_id,file_list,flags,temporal_coordinates,spatial_coordinates,metadata\n"
)


def test_via_of_others_becomes_steps_with_the_words_of_their_options(tmp_path):
    rows = (
        '"1_a","[""tea.mp4""]",0,"[1.124,5.31493]","[]","{""1"":""1"",""3"":""loud""}"\n'
        '"1_b","[""tea.mp4""]",0,"[6.5]","[]","{}"\n'
    )

    file = read("via3", VIA + rows, tmp_path)

    assert file.recordings == (
        SegmentedRecording(
            "tea.mp4",
            (
                Segment("1_a", "steps", 1.124, 5.31493, text="Pour; loud"),
                Segment("1_b", "steps", 6.5, 6.5),
            ),
        ),
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b\n", "expected a comment CSV_HEADER = metadata_id"),
        (VIA + '"1_a","[]",0\n', "line 4: 3; expected 6 cells"),
        (
            VIA + '"1_a","[""v""]",0,"[5,1]","[]","{}"\n',
            r"temporal_coordinates is '\[5,1\]'; expec",
        ),
        (VIA + '"1_a","[""v""]",0,"[0,1]","[]","x"\n', "line 4: 'x'; expected a JSON object"),
    ],
)
def test_faults_of_via_are_named_by_line(text, message, tmp_path):
    with pytest.raises(FormatError, match=message):
        read("via3", text, tmp_path)


@pytest.mark.parametrize("seed", range(10))
def test_boris_brings_back_what_has_times(seed, tmp_path):
    file = random_file(seed)
    of_times = [
        replace(item, segments=tuple(one for one in item.segments if one.start_s is not None))
        for item in file.recordings
    ]

    written = write("boris", file)
    read_again = again("boris", SegmentFile(tuple(of_times)), tmp_path)

    assert written.notes == ("segments without times left out: 6",)
    rows = csv.DictReader(StringIO(written.text))
    assert {(row["Observation id"], row["Description"]) for row in rows} == {
        (item.uid, f"segments without times left out: {len(item.shown) - len(timed.segments)}")
        for item, timed in zip(file.recordings, of_times, strict=True)
    }
    assert read("boris", written.text, tmp_path).recordings == read_again.recordings
    for ours, theirs in zip(of_times, read_again.recordings, strict=True):
        known = theirs.uid, theirs.annotator, theirs.segments
        assert known == (ours.uid, ours.annotator, ours.segments)


TABULAR = "Observation id,Subject,Behavior,Behavior type,Time\n"


def test_boris_starts_are_paired_with_their_stops(tmp_path):
    rows = "take1,Ann,pour,START,1.5\ntake1,Bob,pour,START,2\ntake1,Ann,pour,STOP,4\n"
    rows += "take1,Ann,drop,POINT,5\ntake1,Bob,pour,STOP,9\n"

    file = read("boris", TABULAR + rows, tmp_path)

    assert file.recordings == (
        SegmentedRecording(
            "take1",
            (
                Segment("b2", "steps", 1.5, 4.0, label="pour"),
                Segment("b5", "steps", 5.0, 5.0, label="drop"),
            ),
            annotator="Ann",
        ),
        SegmentedRecording(
            "take1", (Segment("b3", "steps", 2.0, 9.0, label="pour"),), annotator="Bob"
        ),
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b\n", "line 1: 'a, b'; expected the columns Observation id, Behavior, Start"),
        (TABULAR + "o,A,pour,STOP,1\n", "line 2: Behavior type is 'STOP'; expected POINT, START"),
        (TABULAR + "o,A,pour,START,1\n", "line 2: Behavior type is 'START'; expected a STOP after"),
        (
            TABULAR + "o,A,pour,START,1\no,A,pour,START,2\no,A,pour,STOP,3\n",
            "line 3: Behavior type is 'START'; expected the STOP of line 2 before",
        ),
        (TABULAR + 'o,A,pour,POINT,"1,5"\n', "line 2: Time is '1,5'; expected seconds with a"),
    ],
)
def test_unpaired_rows_of_boris_are_named_by_line(text, message, tmp_path):
    with pytest.raises(FormatError, match=message):
        read("boris", text, tmp_path)


MANY, DEEP = "9" * 5000, "[" * 5000
EAF = """<ANNOTATION_DOCUMENT><TIME_ORDER><TIME_SLOT TIME_SLOT_ID="a" TIME_VALUE="{value}"/>
</TIME_ORDER><TIER TIER_ID="t"><ANNOTATION><ALIGNABLE_ANNOTATION TIME_SLOT_REF1="a"
TIME_SLOT_REF2="a"/></ANNOTATION></TIER></ANNOTATION_DOCUMENT>"""
RANGES = {"ranges": [{"start": 1, "end": 10**400}], "timelinelabels": ["x"]}
RESULT = {"type": "timelinelabels", "id": "a", "from_name": "t", "value": RANGES}
LABELLED = [{"data": {"video": "v"}, "annotations": [{"result": [RESULT]}]}]
ROWS_OF_VIA = (
    "# CSV_HEADER = metadata_id,file_list,flags,temporal_coordinates,spatial_coordinates,metadata\n"
)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("label_studio", json.dumps(LABELLED)),
        ("elan", EAF.format(value=MANY)),
        ("elan", EAF.format(value="9" * 400)),
        ("webvtt", f"WEBVTT\n\n{MANY}:00:01.000 --> {MANY}:00:02.000\ntea\n"),
        ("webvtt", f"WEBVTT\n\nNOTE piev-recording {DEEP}\n"),
        ("table", f"recording,track,key,start_s,end_s,revision\nv,steps,k,1,2,{MANY}\n"),
        (
            "via3",
            f'{ROWS_OF_VIA}"0_1","[""v""]",0,"[1, 2]","[]","{DEEP}"\n',
        ),
        ("via3", f'{ROWS_OF_VIA}"0_1","[""v""]",0,"[1, 2]","[]","{{""1"": ""\\ud83d""}}"\n'),
    ],
)
def test_numbers_and_nesting_beyond_all_measure_are_faults_of_the_file(name, text, tmp_path):
    with pytest.raises(FormatError):
        read(name, text, tmp_path, Settings(rate=25))


def test_label_studio_counts_results_of_other_kinds(tmp_path):
    recording = SegmentedRecording("v1.mp4", (Segment("a", "steps", 1.0, 2.0, "3"),), rate=25)
    tasks = json.loads(write("label_studio", SegmentFile((recording,))).text)
    boxes = {"id": "b", "type": "videorectangle", "from_name": "box", "value": {}}
    tasks[0]["annotations"][0]["result"] += [boxes, boxes]

    file = read("label_studio", json.dumps(tasks), tmp_path)

    assert file.recordings[0].segments == recording.segments
    assert file.notes == ("results other than timelinelabels left out: 2",)


def test_elan_counts_annotations_that_lean_on_others(tmp_path):
    own = (Segment("a", "steps", 1.0, 2.0, "3"), Segment("b", "steps", 2.0, 3.0, "4"))
    text = write("elan", SegmentFile((SegmentedRecording("v1", own),))).text
    theirs = (
        '<TIER LINGUISTIC_TYPE_REF="words" PARENT_REF="steps" TIER_ID="gloss"><ANNOTATION>'
        '<REF_ANNOTATION ANNOTATION_ID="x1" ANNOTATION_REF="a1">'
        "<ANNOTATION_VALUE>well</ANNOTATION_VALUE></REF_ANNOTATION></ANNOTATION></TIER>"
        "</ANNOTATION_DOCUMENT>"
    )

    ours = read("elan", text, tmp_path)
    file = read("elan", text.replace("</ANNOTATION_DOCUMENT>", theirs), tmp_path)

    assert ours.notes == ()
    assert file.recordings == ours.recordings
    assert file.notes == ("annotations without times of their own left out: 1",)


@pytest.mark.parametrize(("name", "file_name", "text"), [
    ("webvtt", 'the "best".vtt', "WEBVTT\n\n00:01.000 --> 00:02.000\nBoil"),
    ("elan", 'the "best".eaf', "<ANNOTATION_DOCUMENT/>"),
])  # fmt: skip
def test_file_names_with_quotation_marks_name_the_recording(name, file_name, text, tmp_path):
    [recording] = read(name, text, tmp_path, file_name=file_name).recordings

    assert recording.uid == 'the "best"'
