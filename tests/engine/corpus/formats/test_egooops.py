import json
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from annotation.engine.corpus.formats import egooops
from annotation.engine.corpus.formats.errors import FormatError
from annotation.engine.corpus.formats.native_labels import Derived
from annotation.engine.corpus.procedure import Event, NativeLabel, Reading, Step, Take, TraceStep
from annotation.engine.taxonomy import EventKind, Mod, TaxonomyLabel
from tests.engine.corpus.formats.bad_input import assert_reads_or_refuses, assert_storable, spoiled


def _segment(start_s, end_s, instruction, label=None, caption=""):
    labels = [] if label is None else [label]
    return {
        "startTime": start_s,
        "endTime": end_s,
        "instruction": instruction,
        "labels": labels,
        "caption": caption,
    }


def _document():
    return {
        "videos": [
            {
                "task_id": "tea",
                "video_id": "V1",
                "segments": [_segment(0.0, 1.0, 0), _segment(1.0, 2.0, 1), _segment(2.0, 3.0, 2)],
            },
            {
                "task_id": "tea",
                "video_id": "V2",
                "segments": [
                    _segment(0.5, 1.0, 0),
                    _segment(1.0, 1.5, -1, 1, "graspe a cup"),
                    _segment(2.0, 3.0, 2, 4, "stir with a knife"),
                    _segment(3.0, 4.0, -1, 2, "put the knife back"),
                ],
            },
        ],
        "instructions": {"tea": ["Take a cup", "Pour frorm the pot", "Stir"]},
    }


def _write(folder: Path, document: object) -> Path:
    path = folder / "metadata.json"
    path.write_text(json.dumps(document))
    return path


@pytest.fixture(scope="module")
def published(shared_data) -> Reading:
    return egooops.read(shared_data / "egooops")


@pytest.fixture(scope="module")
def expected(shared_data) -> dict:
    return json.loads((shared_data / "EXPECTED.json").read_text())["egooops"]


@pytest.mark.shared_data
def test_published_labels_are_counted_as_expected(published, expected):
    totals = {name: counts["total"] for name, counts in expected["order_mistakes_derived"].items()}

    assert published.native_labels == expected["mistakes_per_class"]
    assert published.derived == totals
    assert sum(published.derived.values()) == expected["order_mistakes_total"]


@pytest.mark.shared_data
def test_published_videos_become_takes_or_traces(published, expected):
    recordings = [*published.takes, *published.traces]
    tasks = {take.uid: take.scenario for take in published.takes}

    videos = Counter(
        item.scenario if isinstance(item, Take) else tasks[item.take_uid] for item in recordings
    )
    segments = Counter()
    for item in recordings:
        task = item.scenario if isinstance(item, Take) else tasks[item.take_uid]
        segments[task] += sum(step.start_s is not None for step in item.steps)

    assert videos == expected["videos_per_task"]
    assert segments == expected["segments_per_task"]
    assert (len(published.takes), len(published.traces)) == (20, 30)
    assert published.warnings == ()


@pytest.mark.shared_data
def test_published_order_mistakes_are_derived_per_task(shared_data, expected):
    document = json.loads((shared_data / "egooops/meta/metadata.json").read_text())
    found: dict[str, Counter] = {name: Counter() for name in Derived}
    for video in document["videos"]:
        task = video["task_id"]
        numbers = [segment["instruction"] for segment in video["segments"]]
        missing, labels = egooops.derive_order_labels(numbers, len(document["instructions"][task]))
        found[Derived.MISSING][task] += len(missing)
        for names in labels:
            for name in names:
                found[name][task] += 1

    for name, counts in expected["order_mistakes_derived"].items():
        per_task = {task: count for task, count in counts.items() if task != "total"}
        assert {task: found[name][task] for task in per_task} == per_task


@pytest.mark.shared_data
def test_published_labels_per_task_are_kept_with_their_captions(published, expected):
    tasks = {take.uid: take.scenario for take in published.takes}
    found: dict[str, Counter] = {task: Counter() for task in expected["videos_per_task"]}
    for trace in published.traces:
        for step in trace.steps:
            for label in step.labels:
                if not label.is_derived:
                    found[tasks[trace.take_uid]][label.name] += 1
                    assert label.note == step.text != ""

    assert found == expected["mistakes_per_task_and_class"]


@pytest.mark.shared_data
def test_published_undefined_segments_all_carry_a_label(published):
    undefined = [
        step
        for trace in published.traces
        for step in trace.steps
        if NativeLabel("undefined_step", is_derived=True) in step.labels
    ]

    assert len(undefined) == 35
    assert {step.mod for step in undefined} == {Mod.INSERTION, Mod.CORRECTION}
    assert all(len(step.labels) == 2 for step in undefined)


@pytest.mark.shared_data
def test_published_typos_are_kept(published):
    texts = {step.text for item in (*published.takes, *published.traces) for step in item.steps}

    assert any("graspe " in text for text in texts)
    assert any("frorm" in text for text in texts)
    assert any("bhick" in text for text in texts)


@pytest.mark.shared_data
def test_published_reading_can_be_stored(published):
    assert_storable(published)


def test_derived_labels_of_a_published_sequence():
    # Video S1750001: back to a lower number three times, three steps done in several segments.
    numbers = [0, 1, 2, -1, -1, 1, 0, 1, 2, 3, -1, 4, 5, -1, 6]

    missing, labels = egooops.derive_order_labels(numbers, 7)

    assert missing == []
    assert Counter(name for names in labels for name in names) == {
        Derived.UNDEFINED_STEP: 4,
        Derived.OUT_OF_ORDER: 2,
        Derived.PAUSE_AND_RESUME: 3,
    }
    assert labels[5] == [Derived.OUT_OF_ORDER]
    assert labels[6] == [Derived.OUT_OF_ORDER]


@pytest.fixture
def reading(tmp_path):
    return egooops.read(_write(tmp_path, _document()))


def test_video_without_mistakes_becomes_a_take(reading):
    assert reading.takes == (
        Take(
            uid="V1",
            name="V1",
            scenario="tea",
            steps=(
                Step("Take a cup", "0", 0.0, 1.0),
                Step("Pour frorm the pot", "1", 1.0, 2.0),
                Step("Stir", "2", 2.0, 3.0),
            ),
            video_stem="V1",
        ),
    )


def test_video_with_mistakes_becomes_a_trace_with_captions_and_derived_labels(reading):
    missing = NativeLabel("missing", is_derived=True)
    undefined = NativeLabel("undefined_step", is_derived=True)
    mispick = NativeLabel("grasping wrong objects and releasing them without using", "graspe a cup")
    wrong_way = NativeLabel("working in the wrong way or moving", "stir with a knife")
    undo = NativeLabel("correction of mistake actions", "put the knife back")
    assert [trace.steps for trace in reading.traces] == [
        (
            TraceStep(Mod.UNCHANGED, "Take a cup", 0, None, "0", 0.5, 1.0),
            TraceStep(Mod.DELETION, "", 1, "E01", "1", labels=(missing,)),
            TraceStep(
                Mod.INSERTION, "graspe a cup", None, "E02", "", 1.0, 1.5, (mispick, undefined)
            ),
            TraceStep(Mod.ERROR, "stir with a knife", 2, "E03", "2", 2.0, 3.0, (wrong_way,)),
            TraceStep(
                Mod.CORRECTION,
                "put the knife back",
                None,
                "C01",
                "",
                3.0,
                4.0,
                (undo, undefined),
            ),
        )
    ]


def test_mistakes_become_events_of_the_types_that_their_classes_say(reading):
    assert reading.traces[0].events == (
        Event("E01", EventKind.MISTAKE, TaxonomyLabel.DELETION),
        Event("E02", EventKind.MISTAKE, TaxonomyLabel.INSERTION),
        Event("E03", EventKind.MISTAKE, TaxonomyLabel.WRONG_EXECUTION),
        Event("C01", EventKind.CORRECTION, TaxonomyLabel.CORRECTION),
    )


def test_trace_says_why_its_reference_was_chosen(reading):
    trace = reading.traces[0]

    assert (trace.take_uid, trace.reference_reason) == (
        "V1",
        "The only mistake-free recording of tea.",
    )


def test_read_of_the_file_alone_says_which_classes_it_used(tmp_path):
    reading = egooops.read(_write(tmp_path, _document()))

    assert [warning.where for warning in reading.warnings] == ["metadata.json"]


def test_pause_and_resume_alone_is_no_event(tmp_path):
    document = _document()
    document["videos"][1]["segments"] = [
        _segment(0.0, 1.0, 0),
        _segment(1.0, 2.0, 0),
        _segment(2.0, 3.0, 1),
        _segment(3.0, 4.0, 2, 5, "sing"),
    ]

    trace = egooops.read(_write(tmp_path, document)).traces[0]

    assert [step.mod for step in trace.steps] == [
        Mod.UNCHANGED,
        Mod.UNCHANGED,
        Mod.UNCHANGED,
        Mod.ERROR,
    ]
    assert [step.reference_index for step in trace.steps] == [0, 0, 1, 2]
    assert trace.steps[0].labels == (NativeLabel("pause_and_resume", is_derived=True),)
    assert trace.events == (Event("E01", EventKind.MISTAKE, None),)


def test_unsorted_segments_are_sorted_with_a_warning(tmp_path):
    document = _document()
    document["videos"][0]["segments"].reverse()

    reading = egooops.read(_write(tmp_path, document))

    assert [step.step_id for step in reading.takes[0].steps] == ["0", "1", "2"]
    assert [warning.where for warning in reading.warnings] == ["metadata.json", "video V1"]


def test_reference_without_the_step_that_is_left_out_is_passed_over(tmp_path):
    document = _document()
    del document["videos"][0]["segments"][1]

    reading = egooops.read(_write(tmp_path, document))

    assert [take.uid for take in reading.takes] == ["V1", "tea:written"]
    assert reading.traces[0].take_uid == "tea:written"
    assert "this is the written procedure" in reading.traces[0].reference_reason


@pytest.mark.parametrize(
    ("field", "value", "shown"),
    [
        ("startTime", float("nan"), "startTime is nan; expected a finite number"),
        ("startTime", -1.0, "startTime is -1.0; expected a time of 0 seconds or later"),
        ("endTime", 0.1, "endTime is 0.1; expected a time not before the start, 0.5"),
        ("instruction", 3, "instruction is 3; expected -1 or an instruction from 0 to 2"),
        ("instruction", "0", "instruction is '0'; expected a whole number"),
        ("labels", 1, "1; expected a list"),
        ("labels", [6], "6; expected a mistake class from 0 to 5"),
        ("caption", "a\x00b", "caption is 'a\\x00b'; expected text without NUL characters"),
    ],
)
def test_wrong_value_is_refused_with_its_place(tmp_path, field, value, shown):
    document = _document()
    document["videos"][1]["segments"][0][field] = value

    with pytest.raises(FormatError) as caught:
        egooops.read(_write(tmp_path, document))

    assert str(caught.value).startswith("metadata.json, videos[1].segments[0]")
    assert shown in str(caught.value)


def test_video_twice_is_refused(tmp_path):
    document = _document()
    document["videos"][1]["video_id"] = "V1"

    with pytest.raises(FormatError, match=r"videos\[1\].*each video_id once \(first at videos\[0"):
        egooops.read(_write(tmp_path, document))


@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(document=spoiled(_document()))
def test_spoiled_file_is_read_or_refused(tmp_path, document):
    assert_reads_or_refuses(egooops.read, document, tmp_path / "metadata.json")
