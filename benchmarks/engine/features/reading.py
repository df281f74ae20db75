"""Read features from .npy and .npz files. Nothing is unpickled, and sizes are limited.

Uploaded arrays are (T, d), with a row per some seconds. The released features of CaptainCook4D are
recognised by their file names; its embeddings are raw float32 bytes in rows of 1024.
"""

import re
import tempfile
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from math import prod
from pathlib import PurePosixPath
from typing import IO, Any, TypeVar

import numpy as np
import numpy.typing as npt

from annotation.engine.corpus.formats.errors import FormatError, Problem, fault_of_file
from benchmarks.engine.answers.numpy_heads import DAMAGE_ERRORS, is_disk_failure, read_head

Array = npt.NDArray[np.float32]

NPY, NPZ = ".npy", ".npz"
MOST_ROWS, MOST_WIDTH, MOST_BYTES, MOST_KEYS = 1_000_000, 65_536, 512 << 20, 100
# That of a recording has at most 200; windows, sizes and folders follow it.
MOST_NAME = 500
FLOAT_BYTES = np.dtype(np.float32).itemsize
# Of so much of an array at once is more in memory than its rows, which may be wider than this.
BLOCK_BYTES = 4 << 20
# The keys in released feature files; where a file has several arrays, the one with such a key is
# taken.
KNOWN_KEYS = ("arr_0", "video_embeddings", "video_features", "features")
RAW_KEY, RAW_WIDTH = "video_embeddings", 1024
# "_1s_1s": the length of a window and the distance from one window to the next, in seconds.
WINDOW = re.compile(r"_[\d.]+s_(?P<stride>\d+(?:\.\d+)?)s$")
# What may follow a recording's name: "1_7_360p.mp4_1s_1s.npz" belongs to recording "1_7".
NAME_SUFFIX = re.compile(
    r"(?:_[\d.]+s_[\d.]+s|\.(?:mp4|mov|mkv|webm|avi|wav)|_\d+p)$", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Expected:
    """What files are checked against: recordings by every name they may have, and settings.

    `key` is the array to take from .npz files; "" takes the only one, or one with a known key.
    `most_bytes` limits all arrays together, None for no limit.
    """

    recordings: Mapping[str, str]
    seconds_per_row: float = 1.0
    key: str = ""
    most_bytes: int | None = None


Kept = TypeVar("Kept")


@dataclass(frozen=True, slots=True)
class FeatureRows:
    """An array (T, d) that comes block of rows by block, so that it is never whole in memory.

    Reading the blocks raises FormatError.
    """

    shape: tuple[int, int]
    blocks: Iterator[Array]

    @classmethod
    def of(cls, array: Array) -> "FeatureRows":
        """An array that is in memory anyway, as one block."""
        return cls((array.shape[0], array.shape[1]), iter([array]))

    @property
    def byte_count(self) -> int:
        """What it takes as float32."""
        return prod(self.shape) * FLOAT_BYTES


def read_recordings(
    files: Iterable[tuple[str, IO[bytes]]],
    expected: Expected,
    keep: Callable[[str, FeatureRows], Kept],
) -> Iterator[Kept]:
    """Yield what `keep` makes of each file's recording and rows; the files must be seekable.

    Raises FormatError with every fault after the last file; the caller throws away what was kept
    until then.
    """
    problems: list[Problem] = []
    read_from: dict[str, str] = {}
    first: tuple[str, int] | None = None
    byte_count = 0
    for name, file in files:
        try:
            uid = _recording_of(name, expected)
            if uid in read_from:
                raise fault_of_file(
                    name, uid, f"one file of it; {read_from[uid]} is another", field="recording"
                )
            read_from[uid] = name
            left = None if expected.most_bytes is None else expected.most_bytes - byte_count
            with feature_rows(name, file, expected.key, left) as rows:
                byte_count += rows.byte_count
                first = first or (name, rows.shape[1])
                if rows.shape[1] != first[1]:
                    words = f"(T, {first[1]}), as wide as {first[0]}"
                    raise fault_of_file(name, rows.shape, words, field="shape")
                kept = keep(uid, rows)
        except FormatError as error:
            problems += error.problems
        if not problems:
            yield kept
    if not read_from and not problems:
        problems += fault_of_file(
            "", "none", "at least one .npy or .npz file", field="files"
        ).problems
    if problems:
        raise FormatError(problems)


def check_names(names: Iterable[str], expected: Expected) -> None:
    """Raise FormatError with every file that belongs to no recording, without reading any."""
    problems: list[Problem] = []
    for name in names:
        try:
            _recording_of(name, expected)
        except FormatError as error:
            problems += error.problems
    if problems:
        raise FormatError(problems)


def _recording_of(name: str, expected: Expected) -> str:
    """The uid of the recording that the file, or its folder, is named after."""
    # A name in an archive may have 64 kB, and its end is searched again and again.
    if len(name) > MOST_NAME:
        words = f"a name of at most {MOST_NAME} characters"
        raise fault_of_file(f"{name[:80]}…", f"{len(name):,} characters", words, field="name")
    path = PurePosixPath(name)
    if path.suffix.lower() not in (NPY, NPZ):
        raise fault_of_file(name, path.name, "a .npy or .npz file")
    window = WINDOW.search(path.stem)
    if window and float(window["stride"]) != expected.seconds_per_row:
        words = f"{expected.seconds_per_row:g}, the seconds per row that you gave"
        raise fault_of_file(name, float(window["stride"]), words, field="seconds from row to row")
    for name_part in (path.stem, path.parent.name):
        shorter, longer = name_part, ""
        while shorter != longer:
            if shorter in expected.recordings:
                return expected.recordings[shorter]
            shorter, longer = NAME_SUFFIX.sub("", shorter), shorter
    examples = ", ".join(sorted(set(expected.recordings.values()))[:3])
    words = f"a name that begins with the id of a recording of the data set, as {examples}"
    raise fault_of_file(name, path.stem, words, field="recording")


@contextmanager
def feature_rows(
    name: str, file: IO[bytes], key: str = "", most_bytes: int | None = None
) -> Iterator[FeatureRows]:
    """The rows of a file; raises FormatError naming the file, the key and the shape.

    As float32 they may take `most_bytes`, None for no limit: a small file may unpack to far more.
    """
    try:
        if name.lower().endswith(NPY):
            yield _rows(name, "", file, most_bytes)
            return
        with zipfile.ZipFile(file) as archive:
            members = {item.filename.removesuffix(NPY): item for item in archive.infolist()}
            array_key = _key_of(name, list(members), key)
            with archive.open(members[array_key]) as member:
                yield _rows(name, array_key, member, most_bytes)
    except FormatError:
        raise
    except DAMAGE_ERRORS as error:
        if is_disk_failure(error):
            raise
        raise fault_of_file(name, str(error), "a whole file as numpy writes it") from error


def _key_of(name: str, keys: list[str], wanted: str) -> str:
    shown = ", ".join(keys[:10]) or "none"
    if len(keys) > MOST_KEYS:
        raise fault_of_file(name, len(keys), f"at most {MOST_KEYS} arrays", field="keys")
    if wanted:
        if wanted not in keys:
            raise fault_of_file(name, shown, f"the key {wanted!r} that you named", field="keys")
        return wanted
    likely = keys if len(keys) == 1 else [key for key in KNOWN_KEYS if key in keys]
    if len(likely) != 1:
        raise fault_of_file(name, shown, "one array, or the name of its key given", field="keys")
    return likely[0]


def _rows(name: str, key: str, file: IO[bytes], most_bytes: int | None) -> FeatureRows:
    """The rows of an array of numbers or raw bytes; its header is checked before any is read."""
    where = f"key {key}" if key else ""
    try:
        shape, is_fortran, dtype = read_head(file)
    except ValueError as error:
        words = "an array as numpy.save writes it"
        raise fault_of_file(name, str(error), words, place=where, field="header") from error
    if key == RAW_KEY and len(shape) < 2 and not dtype.hasobject:
        byte_count = prod(shape) * dtype.itemsize
        dtype = dtype if dtype.kind == "f" else np.dtype(np.float32)
        if byte_count <= 0 or byte_count % (dtype.itemsize * RAW_WIDTH):
            words = f"float32 in rows of {RAW_WIDTH}"
            raise fault_of_file(name, f"{byte_count:,} bytes", words, place=where, field="length")
        shape, is_fortran = (byte_count // (dtype.itemsize * RAW_WIDTH), RAW_WIDTH), False
    elif dtype.kind not in "fiu":
        raise fault_of_file(
            name, str(dtype), "numbers (float or integer)", place=where, field="type"
        )
    row_count, width = shape if len(shape) == 2 else (0, 0)
    if not (0 < row_count <= MOST_ROWS and 0 < width <= MOST_WIDTH):
        words = f"(T, d), T from 1 to {MOST_ROWS:,} rows, d from 1 to {MOST_WIDTH:,}"
        raise fault_of_file(name, shape, words, place=where, field="shape")
    if row_count * width * dtype.itemsize > MOST_BYTES:
        words = f"at most {MOST_BYTES >> 20} MB in one array"
        raise fault_of_file(name, shape, words, place=where, field="shape")
    stored_bytes = row_count * width * FLOAT_BYTES
    if most_bytes is not None and stored_bytes > most_bytes:
        words = f"at most {max(0, most_bytes) >> 20} MB, which all arrays before it leave"
        raise fault_of_file(name, stored_bytes, words, place=where, field="size")
    whole = (row_count, width)
    blocks = _columns_as_rows(file, whole, dtype) if is_fortran else _in_order(file, whole, dtype)
    return FeatureRows(whole, _checked(name, key, whole, blocks))


def _in_order(
    file: IO[bytes], shape: tuple[int, int], dtype: np.dtype[Any]
) -> Iterator[npt.NDArray[Any]]:
    row_bytes = shape[1] * dtype.itemsize
    at_once = max(1, BLOCK_BYTES // row_bytes)
    for start in range(0, shape[0], at_once):
        count = min(at_once, shape[0] - start)
        content = _read(file, count * row_bytes, start * row_bytes, shape[0] * row_bytes)
        yield np.frombuffer(content, dtype).reshape(count, shape[1])


def _columns_as_rows(
    file: IO[bytes], shape: tuple[int, int], dtype: np.dtype[Any]
) -> Iterator[npt.NDArray[Any]]:
    """The rows of an array that is stored column by column, over a copy on the disk."""
    at_once = max(1, BLOCK_BYTES // (shape[1] * dtype.itemsize))
    with tempfile.TemporaryFile() as copy:
        total = prod(shape) * dtype.itemsize
        for done in range(0, total, BLOCK_BYTES):
            copy.write(_read(file, min(total - done, BLOCK_BYTES), done, total))
        for start in range(0, shape[0], at_once):
            count = min(at_once, shape[0] - start)
            block = np.empty((count, shape[1]), dtype)
            for column in range(shape[1]):
                copy.seek((column * shape[0] + start) * dtype.itemsize)
                block[:, column] = np.frombuffer(copy.read(count * dtype.itemsize), dtype)
            yield block


def _read(file: IO[bytes], byte_count: int, before: int, total: int) -> bytes:
    """So many bytes after those `before`; raises EOFError where the file ends too early."""
    content = file.read(byte_count)
    if len(content) < byte_count:
        raise EOFError(f"{before + len(content):,} of the {total:,} bytes of its shape are there")
    return content


def _checked(
    name: str, key: str, shape: tuple[int, int], blocks: Iterable[npt.NDArray[Any]]
) -> Iterator[Array]:
    """Blocks as float32; raises FormatError with the first number that is none, after all rows."""
    where = f"key {key}, " if key else ""
    start = bad_count = 0
    first: tuple[str, float] | None = None
    for block in blocks:
        with np.errstate(over="ignore"):
            numbers: Array = np.ascontiguousarray(block, dtype=np.float32)
        bad = np.argwhere(~np.isfinite(numbers))
        bad_count += len(bad)
        if len(bad) and first is None:
            row, column = map(int, bad[0])
            first = f"{where}row {start + row}, column {column}", float(block[row, column])
        start += len(block)
        yield numbers
    if first is not None:
        words = f"a finite number ({bad_count:,} of {prod(shape):,} values are none)"
        raise fault_of_file(name, first[1], words, place=first[0], field="value")
