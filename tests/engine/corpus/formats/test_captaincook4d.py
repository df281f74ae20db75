import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from annotation.engine.corpus.formats import captaincook4d
from annotation.engine.corpus.formats.errors import FormatError
from annotation.engine.corpus.procedure import Event, NativeLabel, Step, Take, TaskGraph, TraceStep
from annotation.engine.taxonomy import EventKind, Mod, TaxonomyLabel
from tests.engine.corpus.formats.bad_input import assert_reads_or_refuses, spoiled

CUT, BOIL, POUR = "Cut-Cut a lemon", "Boil -Boil water", "pour-Pour it"


def _step(step_id, description, start_s, end_s, *errors, **more):
    row = {
        "description": description,
        "step_id": step_id,
        "start_time": start_s,
        "end_time": end_s,
        **more,
    }
    if errors:
        row["errors"] = [{"tag": tag, "description": note} for tag, note in errors]
    return row


def _recording(uid, *steps):
    has_errors = any("errors" in step for step in steps)
    return {
        "recording_id": uid,
        "activity_id": 5,
        "is_error": has_errors,
        "step_annotations": list(steps),
    }


def _document():
    return [
        _recording("5_1", _step(10, CUT, 1, 2.0), _step(11, BOIL, 2.0, 3), _step(12, POUR, 4, 5)),
        _recording("5_2", _step(11, BOIL, 1, 2.0), _step(10, CUT, 2.0, 3), _step(12, POUR, 4, 5)),
        _recording(
            "5_3",
            _step(12, POUR, 8.0, 9.0, ("Other", "on the table"), modified_description="Pour out"),
            _step(
                11,
                BOIL,
                3.0,
                7.5,
                ("Order Error", "before cutting"),
                ("Order Error", "twice"),
            ),
            _step(10, CUT, -1.0, -1.0, ("Missing Step", "Skipped"), modified_description="Skip"),
        ),
    ]


GRAPH = {
    "steps": {"0": "START", "1": BOIL, "2": CUT, "3": POUR, "4": "END"},
    "edges": [[0, 2], [2, 1], [1, 3], [3, 4]],
}


def _write(folder: Path, document: object, *, graph: object = GRAPH) -> Path:
    (folder / "annotation_json").mkdir(exist_ok=True)
    (folder / "task_graphs").mkdir(exist_ok=True)
    names = {"5_1": {"activity_id": 5, "activity_name": "Iced Tea", "steps": []}}
    files = {
        "annotation_json/error_annotations.json": document,
        "annotation_json/complete_step_annotations.json": names,
        "task_graphs/icedtea.json": graph,
    }
    for name, content in files.items():
        (folder / name).write_text(json.dumps(content))
    return folder


@pytest.fixture
def reading(tmp_path):
    return captaincook4d.read(_write(tmp_path, _document()))


def test_recordings_without_errors_become_takes_that_count_their_order_deviations(reading):
    cut, boil = Step(CUT, "10", 1.0, 2.0), Step(BOIL, "11", 2.0, 3.0)
    boil_first, cut_later = Step(BOIL, "11", 1.0, 2.0), Step(CUT, "10", 2.0, 3.0)
    pour = Step(POUR, "12", 4.0, 5.0)
    in_order, swapped = (cut, boil, pour), (boil_first, cut_later, pour)
    assert reading.takes == (
        Take("5_1", "5_1", "Iced Tea", in_order, video_stem="5_1"),
        Take("5_2", "5_2", "Iced Tea", swapped, video_stem="5_2", order_deviations=1),
    )


def test_recording_with_errors_becomes_a_trace_in_time_order(reading):
    skipped = (NativeLabel("Missing Step", "Skipped"),)
    order = (NativeLabel("Order Error", "before cutting"), NativeLabel("Order Error", "twice"))
    other = (NativeLabel("Other", "on the table"),)
    assert [trace.steps for trace in reading.traces] == [
        (
            TraceStep(Mod.DELETION, "", 0, "E01", "10", labels=skipped),
            TraceStep(Mod.ERROR, BOIL, 1, "E02", "11", 3.0, 7.5, order),
            TraceStep(Mod.ERROR, "Pour out", 2, "E03", "12", 8.0, 9.0, other),
        )
    ]
    assert reading.native_labels == {"Other": 1, "Order Error": 2, "Missing Step": 1}
    assert [(warning.where, warning.message) for warning in reading.warnings] == [
        ("recording 5_3", "steps were not in time order and have been sorted by start time"),
        ("recording 5_3 step_id 10", "left out, so not shown: 'Skip'"),
    ]


def test_tags_become_events_of_the_types_that_they_say(reading):
    assert reading.traces[0].events == (
        Event("E01", EventKind.MISTAKE, TaxonomyLabel.DELETION),
        Event("E02", EventKind.MISTAKE, TaxonomyLabel.TRANSPOSITION),
        Event("E03", EventKind.MISTAKE, None),
    )


def test_trace_says_why_its_reference_was_chosen(reading):
    trace = reading.traces[0]

    assert (trace.take_uid, trace.reference_reason) == (
        "5_1",
        "This recording has the fewest order deviations (0) of the 2 mistake-free recordings of "
        "Iced Tea.",
    )


def test_graph_of_the_recipe_is_read_along(reading):
    assert reading.task_graphs == (
        TaskGraph(
            "Iced Tea",
            (("0", "START"), ("1", BOIL), ("2", CUT), ("3", POUR), ("4", "END")),
            (("0", "2"), ("2", "1"), ("1", "3"), ("3", "4")),
        ),
    )


def test_read_of_the_file_alone_says_what_it_lacks(tmp_path):
    path = _write(tmp_path, _document()) / "annotation_json" / "error_annotations.json"

    reading = captaincook4d.read(path)

    assert {take.scenario for take in reading.takes} == {"Activity 5"}
    assert reading.task_graphs == ()
    assert [warning.message.split(" ")[1] for warning in reading.warnings[:2]] == [
        "complete_step_annotations.json",
        "task_graphs/",
    ]


def test_untimed_step_without_tag_keeps_its_place(tmp_path):
    document = _document()
    document[2]["step_annotations"][2] = _step(10, CUT, -1.0, -1.0)

    reading = captaincook4d.read(_write(tmp_path, document))

    assert reading.traces[0].steps[0] == TraceStep(Mod.UNCHANGED, CUT, 0, None, "10")


def test_steps_labelled_in_a_recording_called_normal_make_a_trace(tmp_path):
    document = _document()
    document[2]["is_error"] = False

    reading = captaincook4d.read(_write(tmp_path, document))

    assert [trace.uid for trace in reading.traces] == ["5_3"]
    assert reading.warnings[1].message == (
        "is_error is false: read as a trace, as steps carry errors"
    )


@pytest.mark.parametrize(
    ("field", "value", "shown"),
    [
        ("start_time", float("inf"), "start_time is inf; expected a finite number"),
        ("start_time", -2.0, "start_time is -2.0; expected a time of 0 seconds or later"),
        ("end_time", 1.0, "end_time is 1.0; expected a time not before the start, 8.0"),
        ("description", None, "description is None; expected text"),
        ("step_id", 1.5, "step_id is 1.5; expected an id: text or a whole number"),
        ("errors", {"tag": "Other"}, "expected a list"),
        ("errors", [{"description": "x"}], "errors[0]: tag is None; expected this field"),
    ],
)
def test_wrong_value_is_refused_with_its_place(tmp_path, field, value, shown):
    document = _document()
    document[2]["step_annotations"][0][field] = value

    with pytest.raises(FormatError) as caught:
        captaincook4d.read(_write(tmp_path, document))

    assert str(caught.value).startswith("error_annotations.json, [2].step_annotations[0]")
    assert shown in str(caught.value)


def test_recording_twice_is_refused(tmp_path):
    document = _document()
    document.append(document[0])

    with pytest.raises(FormatError, match=r"\[3\]: recording_id is '5_1'.*\(first at \[0\]\)"):
        captaincook4d.read(_write(tmp_path, document))


@pytest.mark.parametrize(
    ("edges", "shown"),
    [
        ([[0, 9]], "edges[0]: [0, 9]; expected two node ids of this graph"),
        ([[1, 2], [2, 1]], "edges is '2 edges'; expected no step to come before itself"),
    ],
)
def test_wrong_graph_is_refused(tmp_path, edges, shown):
    folder = _write(tmp_path, _document(), graph={**GRAPH, "edges": edges})

    with pytest.raises(FormatError) as caught:
        captaincook4d.read(folder)

    assert shown in str(caught.value)


SPOILING = settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@SPOILING
@given(document=spoiled(_document()))
def test_spoiled_annotations_are_read_or_refused(tmp_path, document):
    folder = _write(tmp_path, _document())
    path = folder / "annotation_json" / "error_annotations.json"
    assert_reads_or_refuses(captaincook4d.read, document, path, at=folder)


@SPOILING
@given(graph=spoiled(GRAPH))
def test_spoiled_graph_is_read_or_refused(tmp_path, graph):
    folder = _write(tmp_path, _document())
    path = folder / "task_graphs" / "icedtea.json"
    assert_reads_or_refuses(captaincook4d.read, graph, path, at=folder)
