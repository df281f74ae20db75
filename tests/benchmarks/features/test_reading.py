import errno
import io
import pickle
import zipfile
from contextlib import suppress
from struct import pack

import numpy as np
import pytest

from annotation.engine.corpus.formats.errors import FormatError
from benchmarks.engine.features import reading
from benchmarks.engine.features.reading import Expected, check_names, feature_rows, read_recordings

NAMES = {"1_7": "1_7", "8_16": "8_16", "film of 2_3": "2_3"}
TWO_ROWS = np.arange(6, dtype=np.float64).reshape(2, 3)


def npy(array, **options):
    file = io.BytesIO()
    np.save(file, array, **options)
    return file.getvalue()


def npz(**arrays):
    file = io.BytesIO()
    np.savez_compressed(file, **arrays)
    return file.getvalue()


def read(name, content, **settings):
    return list(whole([(name, io.BytesIO(content))], Expected(NAMES, **settings)))


def whole(files, expected):
    """Each recording with its array, which is kept in memory here."""
    return read_recordings(
        files, expected, lambda uid, rows: (uid, np.concatenate(list(rows.blocks)))
    )


def fault_of(name, content, **settings):
    with pytest.raises(FormatError) as caught:
        read(name, content, **settings)
    return str(caught.value)


@pytest.mark.parametrize(
    ("name", "uid"),
    [
        ("1_7.npy", "1_7"),
        ("1_7_360p.mp4_1s_1s.npy", "1_7"),
        ("8_16_360p.mp4.npy", "8_16"),
        ("8_16.wav.npy", "8_16"),
        ("features/8_16_360p/video_features.npy", "8_16"),
        ("film of 2_3.npy", "2_3"),
    ],
)
def test_a_file_is_of_the_recording_that_it_is_named_after(name, uid):
    [(found, array)] = read(name, npy(TWO_ROWS))
    assert (found, array.dtype, array.tolist()) == (uid, np.float32, TWO_ROWS.tolist())


def test_arrays_are_read_however_numpy_wrote_them():
    raw = np.arange(2048, dtype=np.float32)
    expected = raw.reshape(2, 1024).tolist()
    packed = raw.tobytes()
    for content in (raw, raw.astype(float), np.frombuffer(packed, np.uint8), np.bytes_(packed)):
        [(_, array)] = read("1_7.npz", npz(video_embeddings=content))
        assert array.tolist() == expected
    [(_, array)] = read("1_7.npy", npy(np.asfortranarray(TWO_ROWS)))
    assert array.tolist() == TWO_ROWS.tolist()
    [(_, array)] = read("1_7.npz", npz(arr_0=TWO_ROWS.astype(np.float16), frames=np.arange(9)))
    assert array.tolist() == TWO_ROWS.tolist()
    [(_, array)] = read("1_7.npz", npz(mine=TWO_ROWS, other=TWO_ROWS * 2), key="other")
    assert array.tolist() == (TWO_ROWS * 2).tolist()


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("9_9.npy", npy(TWO_ROWS), "9_9.npy: recording is '9_9'; expected a name that begins with"),
        ("1_7.csv", b"1,2", "1_7.csv: '1_7.csv'; expected a .npy or .npz file"),
        ("1_7_2s_2s.npy", npy(TWO_ROWS), "seconds from row to row is 2.0; expected 1, the"),
        ("1_7.npy", npy(np.arange(4.0)), "1_7.npy: shape is (4,); expected (T, d)"),
        ("1_7.npz", npz(arr_0=np.ones((2, 3, 4))), "1_7.npz, key arr_0: shape is (2, 3, 4)"),
        ("1_7.npz", npz(arr_0=np.ones((0, 4))), "1_7.npz, key arr_0: shape is (0, 4)"),
        ("1_7.npz", npz(a=TWO_ROWS, b=TWO_ROWS), "keys is 'a, b'; expected one array, or the name"),
        ("1_7.npy", npy(np.array([["a"]])), "type is '<U1'; expected numbers"),
        ("1_7.npy", npy(TWO_ROWS)[:-9], "39 of the 48 bytes of its shape are there"),
        ("1_7.npy", b"not numpy", "header is"),
        ("1_7.npz", npz(a=TWO_ROWS)[:-60], "expected a whole file as numpy writes it"),
        ("1_7.npz", npz(video_embeddings=np.arange(5.0)), "expected float32 in rows of 1024"),
        (
            "1_7.npz",
            npz(arr_0=[[1, 2], [np.nan, np.inf]]),
            "1_7.npz, key arr_0, row 1, column 0: value is nan; expected a finite number (2 of 4",
        ),
        (
            "1_7.npy",
            npy(np.array([[1e300]])),
            "row 0, column 0: value is 1e+300; expected a finite",
        ),
    ],
)
def test_faults_name_file_key_and_shape(name, content, words):
    assert words in fault_of(name, content)


def test_pickled_objects_are_never_loaded():
    class Trap:
        def __reduce__(self):
            return pytest.fail, ("it was unpickled",)

    content = npy(np.array([[Trap()]], dtype=object), allow_pickle=True)
    assert pickle.dumps(Trap())[:1] == b"\x80"
    assert "type is 'object'" in fault_of("1_7.npy", content)
    assert "type is 'object'" in fault_of("1_7.npz", npz(video_embeddings=np.array([Trap()])))


def claimed(key, kind, shape):
    """An .npz whose array claims a shape that it has not."""
    header = io.BytesIO()
    said = {"descr": kind, "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_2_0(header, said)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(f"{key}.npy", header.getvalue() + bytes(1 << 20))
    return packed.getvalue()


@pytest.mark.parametrize(
    "header",
    ["{'descr': '<f4', 'shape': (", "{[]: 1}", "-" * 9000 + "1", "{1: 2, 'a': 3}",
     "{'descr': ('<f4',), 'fortran_order': False, 'shape': (1, 1)}"],
)  # fmt: skip
def test_forged_headers_are_refused_with_a_message(header):
    said = fault_of("1_7.npy", b"\x93NUMPY\x01\x00" + pack("<H", len(header)) + header.encode())
    assert "expected an array as numpy.save writes it" in said


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_forged_archives_are_refused_with_a_message_for_any_byte(method, tmp_path):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        archive.writestr("arr_0.npy", npy(TWO_ROWS))
    for place, byte in enumerate(file.getvalue()):
        found = bytearray(file.getvalue())
        found[place] = byte ^ 0xFF
        forged = tmp_path / "1_7.npz"
        forged.write_bytes(found)
        # What lies on a disk fails in other ways than what lies in memory.
        for opened in (io.BytesIO(found), forged.open("rb")):
            with opened, suppress(FormatError):
                [(_, array)] = whole([("1_7.npz", opened)], Expected(NAMES))
                assert array.tolist() == TWO_ROWS.tolist()


def test_disk_failure_is_not_blamed_on_the_file():
    class Failing(io.BytesIO):
        def read(self, *size):
            if self.tell():
                return super().read(*size)
            raise OSError(errno.EIO, "Input/output error")

    with pytest.raises(OSError, match="Input/output") as caught:
        list(whole([("1_7.npz", Failing(npz(arr_0=TWO_ROWS)))], Expected(NAMES)))
    assert not isinstance(caught.value, FormatError)


def test_sizes_are_refused_before_anything_is_loaded():
    forged = claimed("arr_0", "<f8", (900_000, 60_000))
    assert "at most 512 MB in one array" in fault_of("1_7.npz", forged)
    forged = claimed("video_embeddings", "|u1", (-1,))
    assert "length is '-1 bytes'" in fault_of("1_7.npz", forged)
    rows = claimed("arr_0", "<f4", (1_000_001, 1))
    assert "T from 1 to 1,000,000 rows" in fault_of("1_7.npz", rows)
    assert "size is 24; expected at most 0 MB" in fault_of("1_7.npy", npy(TWO_ROWS), most_bytes=20)
    half = claimed("arr_0", "<f2", (100_000, 500))
    assert "size is 200000000; expected at most 1 MB" in fault_of(
        "1_7.npz", half, most_bytes=1 << 20
    )


def test_all_files_are_looked_at_and_have_to_agree():
    contents = {
        "1_7.npy": npy(TWO_ROWS),
        "1_7_360p.npy": npy(TWO_ROWS),
        "8_16.npy": npy(np.ones((4, 5))),
        "x.npy": npy(TWO_ROWS),
    }
    files = [(name, io.BytesIO(content)) for name, content in contents.items()]
    with pytest.raises(FormatError) as caught:
        list(whole(files, Expected(NAMES)))
    assert [str(fault) for fault in caught.value.problems] == [
        "1_7_360p.npy: recording is '1_7'; expected one file of it; 1_7.npy is another",
        "8_16.npy: shape is (4, 5); expected (T, 3), as wide as 1_7.npy",
        "x.npy: recording is 'x'; expected a name that begins with the id of a recording of the"
        " data set, as 1_7, 2_3, 8_16",
    ]
    with pytest.raises(FormatError, match="at least one"):
        list(whole([], Expected(NAMES)))


def test_a_named_key_that_is_not_there_is_said():
    said = fault_of("1_7.npz", npz(mine=TWO_ROWS), key="other")
    assert "keys is 'mine'; expected the key 'other' that you named" in said


def test_a_file_may_be_read_by_itself():
    with feature_rows("x.npy", io.BytesIO(npy(TWO_ROWS))) as rows:
        assert rows.shape == (2, 3)


@pytest.mark.parametrize("kind", ["<f2", "<f4", "<f8", "|u1"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_rows_come_in_blocks_and_are_those_of_the_whole_array(monkeypatch, kind, order):
    monkeypatch.setattr(reading, "BLOCK_BYTES", 64)
    array = np.asarray(np.arange(7 * 5).reshape(7, 5), dtype=kind, order=order)
    content = npz(arr_0=array)
    with feature_rows("x.npz", io.BytesIO(content)) as rows:
        blocks = list(rows.blocks)

    assert max(block.size * array.itemsize for block in blocks) <= 64
    assert np.array_equal(np.concatenate(blocks), array.astype(np.float32))


def test_numbers_that_are_none_are_counted_over_all_blocks(monkeypatch):
    monkeypatch.setattr(reading, "BLOCK_BYTES", 24)
    array = np.ones((4, 3))
    array[2, 1], array[3, 0] = np.nan, np.inf
    said = fault_of("1_7.npy", npy(array))
    assert "row 2, column 1: value is nan; expected a finite number (2 of 12" in said


@pytest.mark.parametrize(
    "name", ["_1s" * 20_000, "_1" * 30_000, "_" + "1" * 60_000, ".mp4" * 15_000]
)
def test_a_name_of_64_kb_is_refused_by_its_length(name, monkeypatch):
    # A search of such a name's end, again and again, took 40 s.
    monkeypatch.setattr(reading, "NAME_SUFFIX", None)
    with pytest.raises(FormatError, match="expected a name of at most 500 characters"):
        check_names([f"{name}.npy"], Expected(NAMES))
