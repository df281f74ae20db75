"""Read features from .npy and .npz files. Nothing is unpickled, and sizes are limited.

Uploaded arrays are (T, d), with a row per some seconds. The released features of CaptainCook4D are
recognised by their file names; its embeddings are raw float32 bytes in rows of 1024.
"""

import re
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from math import prod
from pathlib import PurePosixPath
from typing import IO

import numpy as np
import numpy.typing as npt

from annotation.engine.corpus.formats.errors import FormatError, Problem, fault_of_file
from benchmarks.engine.numpy_heads import DAMAGE_ERRORS, is_disk_failure, read_head

Array = npt.NDArray[np.float32]

NPY, NPZ = ".npy", ".npz"
MOST_ROWS, MOST_WIDTH, MOST_BYTES, MOST_KEYS = 1_000_000, 65_536, 512 << 20, 100
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


def read_recordings(
    files: Iterable[tuple[str, IO[bytes]]], expected: Expected
) -> Iterator[tuple[str, Array]]:
    """Yield the uid and the array of each file; the files must be seekable.

    Raises FormatError with every fault after the last file; the caller throws away what was yielded
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
            array = read_features(name, file, expected.key, left)
            byte_count += array.nbytes
            first = first or (name, array.shape[1])
            if array.shape[1] != first[1]:
                words = f"(T, {first[1]}), as wide as {first[0]}"
                raise fault_of_file(name, array.shape, words, field="shape")
        except FormatError as error:
            problems += error.problems
        if not problems:
            yield uid, array
    if not read_from and not problems:
        problems += fault_of_file(
            "", "none", "at least one .npy or .npz file", field="files"
        ).problems
    if problems:
        raise FormatError(problems)


def _recording_of(name: str, expected: Expected) -> str:
    """The uid of the recording that the file, or its folder, is named after."""
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


def read_features(
    name: str, file: IO[bytes], key: str = "", most_bytes: int | None = None
) -> Array:
    """The array (T, d) of a file; raises FormatError naming the file, the key and the shape.

    As float32 it may take `most_bytes`, None for no limit: a small file may unpack to far more.
    """
    try:
        if name.lower().endswith(NPY):
            return _checked(name, "", _read_npy(name, "", file, most_bytes))
        with zipfile.ZipFile(file) as archive:
            members = {item.filename.removesuffix(NPY): item for item in archive.infolist()}
            array_key = _key_of(name, list(members), key)
            with archive.open(members[array_key]) as member:
                return _checked(name, array_key, _read_npy(name, array_key, member, most_bytes))
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


def _read_npy(
    name: str, key: str, file: IO[bytes], most_bytes: int | None
) -> npt.NDArray[np.generic]:
    """An array of numbers or raw bytes; its header is checked before anything is loaded."""
    where = f"key {key}" if key else ""
    try:
        shape, is_fortran, dtype = read_head(file)
    except ValueError as error:
        words = "an array as numpy.save writes it"
        raise fault_of_file(name, str(error), words, place=where, field="header") from error
    is_raw = key == RAW_KEY and len(shape) < 2 and not dtype.hasobject
    if dtype.kind not in "fiu" and not is_raw:
        raise fault_of_file(
            name, str(dtype), "numbers (float or integer)", place=where, field="type"
        )
    byte_count = prod(shape) * dtype.itemsize
    if not is_raw:
        rows, width = shape if len(shape) == 2 else (0, 0)
        if not (0 < rows <= MOST_ROWS and 0 < width <= MOST_WIDTH):
            words = f"(T, d), T from 1 to {MOST_ROWS:,} rows, d from 1 to {MOST_WIDTH:,}"
            raise fault_of_file(name, shape, words, place=where, field="shape")
    if not 0 <= byte_count <= MOST_BYTES:
        words = f"at most {MOST_BYTES >> 20} MB in one array"
        raise fault_of_file(name, shape, words, place=where, field="shape")
    stored_bytes = byte_count if is_raw else prod(shape) * np.dtype(np.float32).itemsize
    if most_bytes is not None and stored_bytes > most_bytes:
        words = f"at most {max(0, most_bytes) >> 20} MB, which all arrays before it leave"
        raise fault_of_file(name, stored_bytes, words, place=where, field="size")
    content = file.read(byte_count)
    if len(content) < byte_count:
        words = f"{byte_count:,} bytes for its shape {shape}"
        raise fault_of_file(name, f"{len(content):,} bytes", words, place=where, field="length")
    if is_raw:
        stored = dtype if dtype.kind == "f" else np.dtype(np.float32)
        if not content or len(content) % (stored.itemsize * RAW_WIDTH):
            words = f"float32 in rows of {RAW_WIDTH}"
            raise fault_of_file(name, f"{len(content):,} bytes", words, place=where, field="length")
        return np.frombuffer(content, stored).reshape(-1, RAW_WIDTH)
    flat = np.frombuffer(content, dtype)
    return flat.reshape(shape[::-1]).T if is_fortran else flat.reshape(shape)


def _checked(name: str, key: str, array: npt.NDArray[np.generic]) -> Array:
    """The array as float32; refuses numbers that are not finite, naming row and column."""
    with np.errstate(over="ignore"):
        numbers: Array = np.ascontiguousarray(array, dtype=np.float32)
    bad = np.argwhere(~np.isfinite(numbers))
    if len(bad):
        row, column = map(int, bad[0])
        where = f"key {key}, " if key else ""
        words = f"a finite number ({len(bad):,} of {numbers.size:,} values are none)"
        place = f"{where}row {row}, column {column}"
        raise fault_of_file(name, float(array[row, column]), words, place=place, field="value")
    return numbers
