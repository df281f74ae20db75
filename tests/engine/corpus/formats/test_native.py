import json
from dataclasses import fields
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from annotation.engine.corpus.formats import native
from annotation.engine.corpus.formats.errors import FormatError
from annotation.engine.corpus.formats.registry import available_formats
from annotation.engine.corpus.procedure import (
    Event,
    NativeLabel,
    Reading,
    ReadingWarning,
    Step,
    Take,
    TaskGraph,
    Trace,
    TraceStep,
    Utterance,
)
from annotation.engine.taxonomy import EventKind, Mod, Speaker, TaxonomyLabel
from tests.engine.corpus.formats.bad_input import assert_reads_or_refuses, spoiled


def _reading() -> Reading:
    """Return a reading in which no field has its default value anywhere it can have another."""
    take = Take(
        uid="tea",
        name="tea_1",
        scenario="Make tea",
        steps=(
            Step(
                "Fill the kettle", "fill", 0.0, 1.5, True, "FILL(Object: kettle)", ("Tea", "Fill")
            ),
            Step("Drink", is_essential=False),
        ),
        video_stem="a1",
        order_deviations=2,
        intervals=((0.0, 1.5), (1.5, 3.0)),
    )
    trace = Trace(
        uid="tea-a",
        name="tea_1_a",
        take_uid="tea",
        steps=(
            TraceStep(
                Mod.ERROR,
                "Fill the cup",
                0,
                "E1",
                "fill",
                0.0,
                2.0,
                (NativeLabel("slip", "n", True),),
            ),
            TraceStep(Mod.CORRECTION, "Fill the kettle after all", event_id="C1"),
            TraceStep(Mod.DELETION, "", 1, "E2"),
        ),
        events=(
            Event("E1", EventKind.MISTAKE, TaxonomyLabel.SUBSTITUTION),
            Event("C1", EventKind.CORRECTION, TaxonomyLabel.CORRECTION, "E1"),
            Event("E2", EventKind.MISTAKE),
        ),
        video_stem="a2",
        reference_reason="The same person.",
        provenance={"generator": "hand"},
    )
    return Reading(
        takes=(take,),
        traces=(trace,),
        task_graphs=(TaskGraph("Make tea", (("1", "Fill"), ("2", "Drink")), (("1", "2"),)),),
        utterances=(
            Utterance(Speaker.USER, "Now what?", "tea", start_s=0.5, end_s=1.0, reason="query"),
            Utterance(Speaker.ASSISTANT, "Stop.", trace_uid="tea-a", start_s=1.0, end_s=2.0),
        ),
        native_labels={"slip": 1},
        derived={"timed": 0},
        warnings=(ReadingWarning("tea-a", "no time"),),
    )


def _document() -> dict:
    return json.loads(json.dumps(native.to_dict(_reading())))


def _problems(document: object) -> list[str]:
    with pytest.raises(FormatError) as caught:
        native.from_dict(document, file="corpus.json")
    return [str(item) for item in caught.value.problems]


def test_native_gives_back_what_was_written():
    reading = _reading()
    values = [getattr(reading, field.name) for field in fields(reading)]

    assert all(values)  # nothing of the example is left at its default
    assert native.from_dict(_document()) == reading


def test_native_reads_the_file_that_was_written(tmp_path: Path):
    path = tmp_path / "corpus.json"
    path.write_text(json.dumps(native.to_dict(_reading())))

    assert native.read(path) == _reading()


def test_native_leaves_out_what_has_its_default():
    written = native.to_dict(Reading(takes=(Take("u", "n", "s", (Step("Stir"),)),)))

    assert written == {
        "format": "piev-corpus",
        "version": 1,
        "takes": [{"uid": "u", "name": "n", "scenario": "s", "steps": [{"text": "Stir"}]}],
    }


def test_native_keeps_a_zero_that_is_not_missing():
    written = native.to_dict(_reading())

    assert written["traces"][0]["steps"][0]["reference_index"] == 0
    assert written["takes"][0]["steps"][0]["start_s"] == 0.0


def test_native_is_found_by_the_registry():
    assert available_formats()["native"].title == "PIE-V's own JSON"
    assert "native_checks" not in available_formats()


@pytest.mark.parametrize(
    ("path", "value", "expected"),
    [
        (["format"], "egooops", "corpus.json: format is 'egooops'; expected piev-corpus"),
        (["version"], 2, "corpus.json: version is 2; expected 1"),
        (
            ["takes", 0, "steps", 1, "text"],
            7,
            "corpus.json, takes[0].steps[1]: text is 7; expected text",
        ),
        (
            ["takes", 0, "steps", 0, "end_s"],
            -1,
            "corpus.json, takes[0].steps[0]: end_s is -1.0; "
            "expected a time not before the start, 0.0",
        ),
        (
            ["takes", 0, "steps", 0, "colour"],
            "red",
            "corpus.json, takes[0].steps[0]: colour is 'red'; expected one of the fields end_s, "
            "is_essential, semrep, start_s, step_id, taxonomy_path, text",
        ),
        (
            ["traces", 0, "steps", 0, "mod"],
            "x",
            "corpus.json, traces[0].steps[0]: mod is 'x'; expected one of u, e, a, i, c, d, ms, mt",
        ),
        (
            ["traces", 0, "steps", 0, "reference_index"],
            2,
            "corpus.json, traces[0].steps[0]: reference_index is 2; "
            "expected a position from 0 to 1",
        ),
        (
            ["traces", 0, "steps", 1, "reference_index"],
            1,
            "corpus.json, traces[0].steps[1]: reference_index is 1; expected none for mod c",
        ),
        (
            ["traces", 0, "steps", 1, "event_id"],
            "E1",
            "corpus.json, traces[0].steps[1]: event_id is 'E1'; "
            "expected the id of a correction of this trace",
        ),
        (
            ["traces", 0, "steps", 2, "text"],
            "Drink",
            "corpus.json, traces[0].steps[2]: text is 'Drink'; expected no text for a deleted step",
        ),
        (
            ["traces", 0, "events", 1, "target_event_id"],
            "E9",
            "corpus.json, traces[0].events[1]: target_event_id is 'E9'; "
            "expected the id of a mistake of this trace",
        ),
        (
            ["traces", 0, "events", 0, "proposed_type"],
            "C",
            "corpus.json, traces[0].events[0]: proposed_type is 'C'; "
            "expected one of D, I, S, T, WE for a mistake",
        ),
        (
            ["traces", 0, "take_uid"],
            "coffee",
            "corpus.json, traces[0]: take_uid is 'coffee'; expected the uid of a take here",
        ),
        (
            ["task_graphs", 0, "edges", 0],
            ["1"],
            "corpus.json, task_graphs[0].edges[0]: ['1']; expected a list of two texts",
        ),
    ],
)
def test_native_names_the_place_of_a_fault(path, value, expected):
    document = _document()
    holder = document
    for key in path[:-1]:
        holder = holder[key]
    holder[path[-1]] = value

    assert expected in _problems(document)


def test_native_refuses_a_uid_that_stands_twice():
    document = _document()
    document["takes"].append(document["takes"][0])

    assert _problems(document) == [
        "corpus.json, takes[1]: uid is 'tea'; expected each uid once (first at takes[0])"
    ]


def test_native_refuses_an_event_that_no_step_realises():
    document = _document()
    document["traces"][0]["events"].append({"event_id": "E3", "kind": "mistake"})

    assert _problems(document) == [
        "corpus.json, traces[0].events[3]: event_id is 'E3'; "
        "expected an event that a step of this trace names"
    ]


def test_native_refuses_a_mistake_that_repairs_another():
    document = _document()
    document["traces"][0]["events"][0]["target_event_id"] = "E2"

    assert _problems(document) == [
        "corpus.json, traces[0].events[0]: target_event_id is 'E2'; "
        "expected nothing: only a correction has a target"
    ]


@pytest.mark.parametrize("content", [b"", b"[]", b"{", b'{"format": "piev-corpus"', b"\xff\xfe"])
def test_native_refuses_a_file_that_is_none(tmp_path: Path, content: bytes):
    path = tmp_path / "corpus.json"
    path.write_bytes(content)

    with pytest.raises(FormatError, match=r"corpus\.json"):
        native.read(path)


@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(document=spoiled(_document()))
def test_native_reads_or_refuses_whatever_it_gets(tmp_path: Path, document):
    assert_reads_or_refuses(native.read, document, tmp_path / "corpus.json")


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"take_uid": "coffee"}, "take_uid"),
        ({"trace_uid": "tea-a"}, "take_uid and trace_uid"),
        ({"take_uid": ""}, "take_uid and trace_uid"),
        ({"who": "narrator"}, "who"),
        ({"text": " "}, "text"),
        ({"start_s": 2.0}, "end_s"),
        ({"start_s": None, "end_s": None}, "start_s and end_s"),
    ],
)
def test_what_is_said_nowhere_or_never_is_refused(tmp_path, changes, field):
    content = native.to_dict(_reading())
    content["utterances"][0].update(changes)
    path = tmp_path / "corpus.json"
    path.write_text(json.dumps(content))

    with pytest.raises(FormatError) as raised:
        native.read(path)

    assert {one.field for one in raised.value.problems} == {field}
    assert {one.place for one in raised.value.problems} == {"utterances[0]"}
