"""Answers with a number for every frame: stored without loss, read from files, compared."""

import io
import zipfile
from dataclasses import replace
from struct import pack

import numpy as np
import pytest

from annotation.engine.corpus.formats.errors import FormatError
from benchmarks.engine.answers import arrays
from benchmarks.engine.answers.files import read_answers
from benchmarks.engine.frame_values import (
    frames_of_intervals,
    levels_of_frames,
    pack_frames,
    runs_of_frames,
    thin_frames,
    unpack_frames,
    value_of_numbers,
)
from benchmarks.engine.frames_task import truth_and_answer
from benchmarks.engine.registry import tasks
from tests.benchmarks.tasks.material import TEA, defaults, figures, read

ANOMALY, LEARNING = tasks()["anomaly"], tasks()["procedure_learning"]


@pytest.fixture
def item():
    """Twelve seconds at two frames a second; a video says that they are all."""
    [found] = ANOMALY.items(TEA, defaults(ANOMALY), 0)
    return found


@pytest.mark.parametrize(
    ("numbers", "dtype"),
    [
        (np.array([0, 29, 3]), "<i1"),
        (np.array([0, -400]), "<i2"),
        (np.array([0.5, 0.25]), "<f4"),
        (np.array([0.1, 1e300]), "<f8"),
    ],
)
def test_numbers_come_back_as_they_were_in_the_narrowest_type(numbers, dtype):
    value = pack_frames(numbers, 2.0)

    assert (value["dtype"], value["fps"]) == (dtype, 2.0)
    assert unpack_frames(value).tolist() == numbers.tolist()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_large_numbers_of_a_file_stay_as_they_are(dtype):
    numbers = np.array([1e23, 1.0], dtype)

    assert unpack_frames(value_of_numbers(numbers, 2.0)).tolist() == numbers.tolist()
    assert unpack_frames(value_of_numbers(numbers[1:], 2.0)).dtype == np.int64


def test_an_hour_of_scores_is_small():
    value = pack_frames(np.random.default_rng(0).random(7200, dtype=np.float32), 2.0)

    assert len(value["frames"]) < 40_000


def test_intervals_become_frames_and_frames_become_runs_and_levels():
    rows = [{"start_s": 0.5, "end_s": 2.0}, {"start_s": 1.5, "end_s": 2.5}]

    numbers = frames_of_intervals(rows, [1, 2], 6, 2.0)

    assert numbers.tolist() == [0, 1, 1, 2, 2, 0]
    runs = [
        (one["start_s"], one["end_s"], one["number"])
        for one in runs_of_frames(pack_frames(numbers, 2.0))
    ]
    assert runs == [(0, 0.5, 0), (0.5, 1.5, 1), (1.5, 2.5, 2), (2.5, 3, 0)]
    assert levels_of_frames(pack_frames(numbers, 2.0), 3) == [0.25, 0.75, 0.5]


def archive(**arrays):
    file = io.BytesIO()
    np.savez_compressed(file, **arrays)
    return file.getvalue()


def values_of(item, name, content):
    return read_answers(ANOMALY, {"k1": item}, name, content).values["k1"]


def test_a_file_may_be_csv_lines_or_arrays_and_name_the_key_or_the_recording(item):
    numbers = np.arange(24) / 32
    rows = "".join(f"tea-a,{frame},{numbers[frame]}\n" for frame in reversed(range(24)))
    columns = np.column_stack([np.arange(24), numbers])

    found = [
        values_of(item, "a.csv", f"key,frame,value\n{rows}".encode()),
        values_of(item, "a.jsonl", f'{{"key": "k1", "values": {numbers.tolist()}}}\n'.encode()),
        values_of(item, "a.npz", archive(k1=numbers)),
        values_of(item, "a.npz", archive(**{"tea-a": columns[::-1]})),
    ]

    assert found == [pack_frames(numbers, 2.0)] * 4


def damaged():
    """An .npz of a kind that numpy does not write and zipfile reads."""
    array, file = io.BytesIO(), io.BytesIO()
    np.save(array, np.random.default_rng(0).random(24))
    with zipfile.ZipFile(file, "w", zipfile.ZIP_LZMA) as zipped:
        zipped.writestr("k1.npy", array.getvalue())
    found = bytearray(file.getvalue())
    found[60:70] = bytes(10)
    return bytes(found)


def headed(head):
    return b"\x93NUMPY\x01\x00" + pack("<H", len(head)) + head.encode() + bytes(20)


@pytest.mark.parametrize(
    ("name", "content", "field", "shown"),
    [
        ("a.csv", b"key,frame,value\nk1,0,1\nk1,0,2\n", "frame", "0"),
        ("a.csv", b"key,frame,value\nk1,0,1\nk1,2,2\n", "frame", "2"),
        ("a.csv", b"key,frame,value\nk1,x,1\n", "value", "('x', '1')"),
        ("a.csv", b"key,value\nk1,1\n", "header", "'key,value'"),
        ("a.jsonl", b'{"key": "k1", "values": [1, NaN]}', "values", "'nan or infinite at frame 1'"),
        ("a.jsonl", b'{"key": "k1", "values": [true]}', "values", "[True]"),
        ("a.npz", archive(k1=np.zeros((4, 3))), "shape", "(4, 3)"),
        ("a.npz", archive(k1=np.array(["a"])), "dtype", "'<U1'"),
        ("a.npz", archive(other=np.zeros(24)), "key", "'other'"),
        ("a.npz", b"PK", "file", "'File is not a zip file'"),
        ("a.npz", archive(k1=np.zeros(24))[:-40], "file", "'File is not a zip file'"),
        ("a.npz", damaged(), "file", "'Corrupt input data'"),
        ("a.npy", b"\x93NUMPY\x01\x00", "array", None),
        ("a.npy", headed("{'descr': '<f4', 'shape': ("), "array", None),
        ("a.npy", headed("{[]: 1}"), "array", None),
        ("a.npy", headed("{'descr': '<f4', 'fortran_order': False, 'shape': (-5,)}"), "shape",
         "(-5,)"),
    ],
)  # fmt: skip
def test_a_file_with_a_fault_is_refused_by_place_field_and_value(item, name, content, field, shown):
    with pytest.raises(FormatError) as caught:
        values_of(item, name, content)

    [fault, *_] = caught.value.problems
    assert fault.field == field
    assert shown in (None, fault.value)


def test_an_array_of_python_objects_is_never_loaded(item):
    file = io.BytesIO()
    np.savez(file, k1=np.array([{"a": 1}], dtype=object))

    with pytest.raises(FormatError, match="dtype is 'object'"):
        values_of(item, "a.npz", file.getvalue())


def test_an_archive_that_unpacks_to_too_much_is_refused_before_it_is(item, monkeypatch):
    monkeypatch.setattr(arrays, "MOST_BYTES", 2**20)
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as zipped:
        zipped.writestr("k1.npy", bytes(2**21))

    with pytest.raises(FormatError, match="size is 2097152; expected at most 1048576 bytes"):
        values_of(item, "a.npz", file.getvalue())


def test_an_answer_that_is_too_short_or_too_long_is_refused_where_a_video_says_so(item):
    def fault(count, of=item):
        return ANOMALY.check(of, pack_frames(np.zeros(count), 2.0))

    unknown = replace(item, payload={**item.payload, "has_video": False})

    assert [fault(count) for count in (20, 24, 28)] == [""] * 3
    assert fault(19) == "has 19 frames; expected 24 at 2 a second"
    assert fault(29) == "has 29 frames; expected 24 at 2 a second"
    assert fault(500, unknown) == ""


def test_a_models_intervals_are_frames_and_what_it_leaves_out_is_0(item):
    said = '{"intervals": [{"start_s": 4, "end_s": 6, "number": 0.75}]}'

    value = ANOMALY.read(item, said).value

    assert unpack_frames(value).tolist() == [0] * 8 + [0.75] * 4 + [0] * 12
    assert figures(ANOMALY, [item], read(value))["auc"] == 1
    bad = '{"intervals": [{"start_s": 4, "end_s": 3, "number": 0.75}]}'
    assert ANOMALY.read(item, bad).reason == "end_s is 3; expected a second after 4"


def test_clusters_are_whole_and_below_their_number():
    [item] = LEARNING.items(TEA, defaults(LEARNING), 0)

    assert LEARNING.check(item, pack_frames(np.full(24, 30), 2.0)) == (
        "frame 0 is 30; expected a cluster from 0 to 29"
    )
    assert LEARNING.check(item, pack_frames(np.full(24, 0.5), 2.0)).startswith("frame 0 is 0.5")


def test_clusters_of_known_frames_by_both_rules():
    """0-4 s step 0, 4-6 s step 2, 6-10 s none, 10-12 s step 3."""
    [item] = LEARNING.items(TEA, defaults(LEARNING), 0)
    said = np.repeat([7, 7, 5, 5, 1], [8, 4, 4, 4, 4])

    found = figures(LEARNING, [item], read(pack_frames(said, 2.0)))

    # Cluster 7 has step 0 and half its own of step 2; 5 the background; 1 step 3; step 2 none.
    assert (found["recall_code"], found["precision_code"]) == (0.75, round((8 / 12 + 2) / 4, 6))
    assert (found["recall"], found["precision"]) == (round(2 / 3, 6), round((8 / 12 + 1) / 3, 6))
    assert (found["iou"], found["frames"]) == (round((8 / 12 + 1) / 3, 6), 24)


def test_more_runs_than_can_be_seen_are_drawn_by_their_commonest_numbers():
    restless = np.tile([1, 2, 1], 100)
    calm = np.repeat([3, 4], 150)

    drawn = thin_frames(pack_frames(np.concatenate([restless, calm]), 2.0), 60)

    assert thin_frames(pack_frames(calm, 2.0), 60) == pack_frames(calm, 2.0)
    assert unpack_frames(drawn).tolist() == [1] * 300 + [3] * 150 + [4] * 150


def test_answers_are_drawn_by_their_own_rate_and_compared_from_the_beginning(item):
    [steps] = LEARNING.items(TEA, defaults(LEARNING), 0)
    rising = pack_frames(np.arange(48) / 48, 4.0)

    assert ANOMALY.claims(item, rising)[-1].end_s == pytest.approx(12)
    drawn = LEARNING.claims(steps, pack_frames(np.repeat([1, 2], [8, 40]), 4.0))
    assert [(one.start_s, one.end_s) for one in drawn] == [(0, 2), (2, 12)]
    codes = {one["label"]: place for place, one in enumerate(steps.truth["intervals"], start=1)}
    whole, _ = truth_and_answer(steps, pack_frames(np.zeros(24, int), 2.0), codes)
    begun, said = truth_and_answer(steps, pack_frames(np.arange(20), 2.0), codes)
    assert whole[0] != whole[4 + 4]
    assert (begun.tolist(), said.tolist()) == (whole[:20].tolist(), list(range(20)))
