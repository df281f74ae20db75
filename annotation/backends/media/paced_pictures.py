"""Small pictures of a recording at an even pace, as arrays: what features are computed from."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt

from annotation.backends.media.container import opened_video, picture_stream
from annotation.backends.media.exceptions import VideoError
from annotation.backends.media.frame_index import FrameIndex
from annotation.backends.media.frames import FrameReader, ShownFrames
from annotation.backends.media.picture_form import clockwise_turn, upright

# A shorter rest at the end of a recording is no row of its own.
SHORTEST_REST_S = 0.04

Picture = npt.NDArray[np.uint8]


def row_count(duration_s: float, seconds_per_row: float) -> int:
    """How many rows a recording has, the last of which may be shorter than the others."""
    return max(1, int(np.ceil((duration_s - SHORTEST_REST_S) / seconds_per_row)))


def paced_pictures(
    path: Path, index: FrameIndex, seconds_per_row: float, count: int, size: tuple[int, int]
) -> Iterator[Picture]:
    """Yield the pictures of each row, (count, height, width, 3) RGB, upright, in one pass.

    They are what is shown in the middle of `count` equal parts of the row, stretched to `size`
    (width, height). Raises VideoError where nothing can be decoded.
    """
    rows = row_count(index.duration_s, seconds_per_row)
    with opened_video(path) as container:
        reader = FrameReader(container, picture_stream(container), index)
        frames = ShownFrames(reader.starting_at(0))
        if frames.following is None:
            raise VideoError("holds no picture that can be decoded")
        shown = None
        for row in range(rows):
            pictures = []
            for part in range(count):
                wanted = index.frame_at((row + (part + 0.5) / count) * seconds_per_row)
                latest = frames.at(wanted)
                if latest is not None and latest is not shown:
                    shown, frame = latest, latest[1]
                    picture = np.asarray(upright(frame, clockwise_turn(frame), size))
                pictures.append(picture)
            yield np.stack(pictures)
