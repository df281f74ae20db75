"""Answers with a number for every frame: packed for storage, and summed up for timelines.

A value is {"frames": text, "dtype": str, "fps": float}: base64 of the zlib stream of an array, (F,)
in little-endian byte order. Frame i shows second i / fps. An hour at 2 frames a second takes some
40 kB.
"""

import base64
import zlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

# Float64, or int64 where all are whole.
Numbers = npt.NDArray[Any]
# Types to store in, narrowest first; the first that loses no digit is taken.
WHOLE, FRACTIONS = ("<i1", "<i2", "<i4", "<i8"), ("<f4", "<f8")
# Up to here a float holds every whole number exactly, and an int64 holds it too.
MOST_WHOLE = 2.0**53


def pack_frames(numbers: Numbers, fps: float) -> dict[str, Any]:
    """The numbers as a value to store, without loss; whole numbers stay whole."""
    kinds = WHOLE if numbers.dtype.kind == "i" else FRACTIONS
    with np.errstate(over="ignore"):
        kind = next(kind for kind in kinds if (numbers.astype(kind) == numbers).all())
    text = base64.b64encode(zlib.compress(numbers.astype(kind).tobytes(), 6)).decode()
    return {"frames": text, "dtype": kind, "fps": fps}


def value_of_numbers(numbers: Numbers, fps: float) -> dict[str, Any]:
    """As `pack_frames`, with floats stored as whole numbers where all of them are whole."""
    is_whole = (np.round(numbers) == numbers) & (np.abs(numbers) <= MOST_WHOLE)
    if numbers.dtype.kind == "f" and is_whole.all():
        numbers = numbers.astype(np.int64)
    return pack_frames(numbers, fps)


def unpack_frames(value: Mapping[str, Any]) -> Numbers:
    """The numbers, (F,): int64 where they are whole, else float64."""
    kind = np.dtype(value["dtype"])
    raw = zlib.decompress(base64.b64decode(value["frames"]))
    return np.frombuffer(raw, dtype=kind).astype(np.int64 if kind.kind == "i" else np.float64)


def frames_of_intervals(
    intervals: Sequence[Mapping[str, Any]], numbers: Sequence[float], count: int, fps: float
) -> Numbers:
    """The number of each frame, (count,); 0 outside the intervals, later ones overwrite earlier.

    A frame belongs to an interval that has begun and not ended at the frame's time. `numbers` has
    one number per interval.
    """
    frames = np.zeros(count, dtype=np.asarray(numbers).dtype if len(numbers) else np.int64)
    for interval, number in zip(intervals, numbers, strict=True):
        # A tiny tolerance for floats, so that 0.3 s at 10 frames a second is frame 3.
        ends = (min(interval[end] * fps, count) for end in ("start_s", "end_s"))
        first, last = (int(np.ceil(end - 1e-6)) for end in ends)
        frames[max(first, 0) : max(last, 0)] = number
    return frames


def runs_of_frames(value: Mapping[str, Any]) -> list[dict[str, float]]:
    """Runs of the same number as {"start_s", "end_s", "number"}, by time."""
    numbers = unpack_frames(value)
    starts = np.flatnonzero(np.append(True, np.diff(numbers) != 0))
    ends = np.append(starts[1:], len(numbers))
    rows = zip(starts.tolist(), ends.tolist(), numbers[starts].tolist(), strict=True)
    return [
        {"start_s": start / value["fps"], "end_s": end / value["fps"], "number": number}
        for start, end, number in rows
    ]


def thin_frames(value: Mapping[str, Any], count: int) -> Mapping[str, Any]:
    """The value with `count` runs at most: each of `count` equal parts gets its commonest number.

    Of equally common numbers the smallest is taken.
    """
    numbers = unpack_frames(value)
    if np.count_nonzero(np.diff(numbers)) < count:
        return value
    distinct, places = np.unique(numbers, return_inverse=True)
    parts = np.arange(len(numbers)) * count // len(numbers)
    cells = np.bincount(parts * len(distinct) + places, minlength=count * len(distinct))
    common = distinct[cells.reshape(count, -1).argmax(axis=1)]
    return pack_frames(common[parts], value["fps"])


def levels_of_frames(value: Mapping[str, Any], count: int) -> list[float]:
    """Means of at most `count` equally long pieces, scaled from 0 (lowest frame) to 1 (highest)."""
    numbers = unpack_frames(value).astype(np.float64)
    low, high = numbers.min(initial=np.inf), numbers.max(initial=-np.inf)
    if not high > low:
        return [0.0] * min(count, len(numbers))
    edges = np.linspace(0, len(numbers), min(count, len(numbers)) + 1).astype(np.int64)
    means = np.add.reduceat(numbers, edges[:-1]) / np.diff(edges)
    return [float(level) for level in (means - low) / (high - low)]


def frames_in_words(value: Mapping[str, Any]) -> str:
    """A summary for one line of a table.

    >>> frames_in_words(packed(np.array([3, 3, 1]), 2.0))
    '3 frames, 2 different numbers'
    >>> frames_in_words(packed(np.array([0.25, 0.5]), 2.0))
    '2 frames, 0.25 to 0.5'
    """
    numbers = unpack_frames(value)
    count = f"{len(numbers)} frame{'s' * (len(numbers) != 1)}"
    if value["dtype"] in WHOLE:
        kinds = len(np.unique(numbers))
        return f"{count}, {kinds} different numbers" if kinds > 1 else f"{count}, all {numbers[0]}"
    return f"{count}, {numbers.min():.4g} to {numbers.max():.4g}"
