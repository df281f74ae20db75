import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from annotation.engine.corpus.formats import egoexo4d, piev
from annotation.engine.corpus.formats.errors import FormatError
from annotation.engine.corpus.procedure import Step, Take
from tests.engine.corpus.formats.bad_input import assert_reads_or_refuses, assert_storable, spoiled


def _segment(start_s, end_s, step_id, text, **more):
    return {
        "start_time": start_s,
        "end_time": end_s,
        "step_id": step_id,
        "step_unique_id": 839,
        "step_name": text,
        "step_description": text,
        "is_essential": True,
        **more,
    }


def _take(uid="u-1", **more):
    return {
        "take_uid": uid,
        "take_name": "lab_tea_1",
        "scenario": "Making Tea",
        "annotation_meta": {},
        "segments": [
            _segment(4.0, 9, 7, "Pour it", is_essential=False),
            _segment(0, 4.5, 5, "Get a cup"),
        ],
        **more,
    }


def _taxonomy():
    nodes = [(0, "Making Tea", None), (3, "Prepare", 0), (5, "Get cup", 3), (7, "Pour", 0)]
    return {
        "Making Tea": {
            str(node_id): {"id": node_id, "name": name, "parent_id": parent, "unique_id": 839}
            for node_id, name, parent in nodes
        }
    }


EXPECTED_TAKE = Take(
    uid="u-1",
    name="lab_tea_1",
    scenario="Making Tea",
    steps=(
        Step("Get a cup", "5", 0.0, 4.5, True, "", ("Making Tea", "Prepare", "Get cup")),
        Step("Pour it", "7", 4.0, 9.0, False, "", ("Making Tea", "Pour")),
    ),
    video_stem="lab_tea_1",
)


def _write(folder: Path, document: object, *, stem: str = "keystep") -> Path:
    path = folder / f"{stem}.json"
    path.write_text(json.dumps(document))
    return path


@pytest.mark.shared_data
def test_published_split_has_the_steps_of_the_plan(shared_data, tmp_path):
    folder = shared_data / "piev"
    for name in ("split_50_rebuilt.json", "keystep_taxonomy_rebuilt.json"):
        (tmp_path / name).write_bytes((folder / name).read_bytes())
    plan = piev.read(folder / "split_50_error_plan.json")

    reading = egoexo4d.read(tmp_path)

    assert reading.derived == {
        "segments": 1259,
        "essential_segments": 984,
        "segments_with_taxonomy_path": 1259,
    }
    planned = {take.uid: take for take in plan.takes}
    assert len(reading.takes) == 50
    for take in reading.takes:
        assert [(step.text, step.start_s, step.taxonomy_path) for step in take.steps] == [
            (step.text, step.start_s, step.taxonomy_path) for step in planned[take.uid].steps
        ]


@pytest.mark.shared_data
def test_published_new_annotations_are_read_with_and_without_wrapper(shared_data):
    files = sorted((shared_data / "piev" / "new_annotations").glob("*.json"))

    names = [egoexo4d.read(path).takes[0].name for path in files]

    assert names == [path.stem.rsplit("_", 1)[0] for path in files]


@pytest.mark.shared_data
def test_published_folder_with_a_take_twice_is_refused(shared_data):
    with pytest.raises(FormatError, match=r"sfu_covid_002_10_seedance.json: take_uid .* once"):
        egoexo4d.read(shared_data / "piev" / "new_annotations")


@pytest.mark.parametrize(
    "document",
    [
        {"annotations": [_take()], "taxonomy": _taxonomy()},
        {"annotations": {"u-1": _take()}, "taxonomy": _taxonomy()},
        {**_take(), "taxonomy": _taxonomy()},
    ],
)
def test_read_accepts_all_three_containers(tmp_path, document):
    reading = egoexo4d.read(_write(tmp_path, document))

    assert reading.takes == (EXPECTED_TAKE,)
    assert [item.message for item in reading.warnings] == [
        "segments were not in time order and have been sorted"
    ]


def test_read_takes_the_uid_of_a_mapping_from_its_key(tmp_path):
    take = _take()
    del take["take_uid"]

    reading = egoexo4d.read(_write(tmp_path, {"annotations": {"u-1": take}}))

    assert reading.takes[0].uid == "u-1"


def test_read_folder_joins_takes_and_taxonomy(tmp_path):
    _write(tmp_path, {"annotations": [_take()]}, stem="train")
    _write(tmp_path, {"taxonomy": _taxonomy()}, stem="taxonomy")
    _write(tmp_path, {"videos": []}, stem="other")

    reading = egoexo4d.read(tmp_path)

    assert reading.takes == (EXPECTED_TAKE,)
    assert reading.warnings[0].where == "other.json"


def test_path_is_found_by_step_id_though_unique_ids_repeat():
    nodes = {"0": ("Tea", ""), "3": ("Prepare", "0"), "5": ("Get cup", "3"), "9": ("Lost", "8")}

    assert egoexo4d.path_to_node(nodes, "5") == ("Tea", "Prepare", "Get cup")
    assert egoexo4d.path_to_node(nodes, "9") == ()
    assert egoexo4d.path_to_node({"1": ("a", "2"), "2": ("b", "1")}, "1") == ()


def test_step_outside_the_taxonomy_is_reported(tmp_path):
    take = _take()
    take["segments"][0]["step_id"] = 99

    document = {"annotations": [take], "taxonomy": _taxonomy()}
    reading = egoexo4d.read(_write(tmp_path, document))

    assert reading.warnings[1].message == "the taxonomy has no path to step_id 99"


def test_take_without_segments_is_left_out(tmp_path):
    document = {"annotations": [_take(), _take("u-2", segments=[])], "taxonomy": _taxonomy()}

    reading = egoexo4d.read(_write(tmp_path, document))

    assert [take.uid for take in reading.takes] == ["u-1"]
    assert reading.warnings[-1].message == "left out: it has no segments"


@pytest.mark.parametrize(
    ("document", "shown"),
    [
        ({"annotations": 3}, "keystep.json, annotations: 3; expected a list"),
        ({"videos": []}, "keystep.json: 'no takes'; expected \"annotations\" with takes"),
        ([], "keystep.json: 'no takes'; expected \"annotations\" with takes"),
        ({"annotations": {"u-9": _take()}}, "take_uid is 'u-1'; expected u-9, the key"),
        ({"annotations": [_take(), _take()]}, "take_uid is 'u-1'; expected each take_uid once"),
        ({"annotations": [_take(scenario=None)]}, "annotations[0]: scenario is None"),
        (
            {"annotations": [_take(segments=[_segment("x", 2.0, 1, "Stir")])]},
            "annotations[0].segments[0]: start_time is 'x'; expected a finite number",
        ),
        (
            {"annotations": [_take(segments=[_segment(3.0, 2.0, 1, "Stir")])]},
            "annotations[0].segments[0]: end_time is 2.0; expected a time not before the start",
        ),
    ],
)
def test_wrong_file_is_refused_with_its_place(tmp_path, document, shown):
    with pytest.raises(FormatError) as caught:
        egoexo4d.read(_write(tmp_path, document))

    assert shown in str(caught.value)


def test_read_takes_are_storable(tmp_path):
    assert_storable(egoexo4d.read(_write(tmp_path, {"annotations": [_take(), _take("u-2")]})))


@settings(
    max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(document=spoiled({"annotations": [_take(), _take("u-2")], "taxonomy": _taxonomy()}))
def test_spoiled_file_is_read_or_refused(tmp_path, document):
    assert_reads_or_refuses(egoexo4d.read, document, tmp_path / "keystep.json")
