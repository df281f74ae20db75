"""Answers per frame in numpy files: an array for each recording."""

import io
import math
import zipfile
from pathlib import PurePosixPath
from typing import Any

import numpy as np
import numpy.typing as npt

from annotation.engine.corpus.formats.errors import FormatError, fault_of_file
from benchmarks.engine.answers.numpy_heads import DAMAGE_ERRORS, read_head

# Of all arrays of a file together, unpacked: some 18,000 hours at 2 frames a second.
MOST_BYTES = 2**28
EXPECTED = "one number for each frame, (frames,), or two columns, frame from 0 on and number"


def columns_of_file(name: str, content: bytes) -> dict[str, npt.NDArray[Any]]:
    """The numbers of each array, (F,), by the array's name; for an .npy file the file's name.

    Shape and type are checked before anything is unpacked: a small archive can unpack to gigabytes.
    Raises FormatError.
    """
    if not name.lower().endswith(".npz"):
        return {PurePosixPath(name).stem: _column(name, "", io.BytesIO(content), len(content))}
    columns = {}
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            members = archive.infolist()
            size = sum(member.file_size for member in members)
            if size > MOST_BYTES:
                raise fault_of_file(
                    name, size, f"at most {MOST_BYTES} bytes unpacked", field="size"
                )
            for member in members:
                key = member.filename.removesuffix(".npy")
                with archive.open(member) as file:
                    columns[key] = _column(name, key, file, member.file_size)
    except FormatError:
        raise
    except DAMAGE_ERRORS as error:
        raise fault_of_file(name, str(error), "an .npz archive of numpy", field="file") from error
    return columns


def _column(name: str, key: str, file: Any, size: int) -> npt.NDArray[Any]:
    place = f"array {key}" if key else ""
    try:
        shape, is_fortran, kind = read_head(file)
    except ValueError as error:
        raise fault_of_file(
            name, str(error), "an array of numpy", place=place, field="array"
        ) from error
    if kind.kind not in "iuf" or kind.itemsize > 8:
        raise fault_of_file(name, str(kind), "whole numbers or floats", place=place, field="dtype")
    count = math.prod(shape)
    if len(shape) not in (1, 2) or (len(shape) == 2 and shape[1] not in (1, 2)) or count < 1:
        raise fault_of_file(name, shape, EXPECTED, place=place, field="shape")
    if count * kind.itemsize > min(size, MOST_BYTES):
        raise fault_of_file(
            name, shape, f"an array of at most {size} bytes", place=place, field="shape"
        )
    raw = file.read(count * kind.itemsize)
    if len(raw) < count * kind.itemsize:
        expected = f"{count * kind.itemsize}, as its head says"
        raise fault_of_file(name, f"{len(raw)} bytes", expected, place=place, field="array")
    array = np.frombuffer(raw, dtype=kind).reshape(shape, order="F" if is_fortran else "C")
    if array.ndim == 1 or array.shape[1] == 1:
        return array.ravel()
    frames = array[:, 0]
    order = np.argsort(frames, kind="stable")
    if not np.array_equal(frames[order], np.arange(len(frames))):
        raise fault_of_file(
            name, f"{frames[:3]}...", "every frame from 0 on once", place=place, field="frame"
        )
    column: npt.NDArray[Any] = array[order, 1]
    return column
