"""Small pictures of a recording at an even pace, as arrays: what features are computed from."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt
from av.video.frame import VideoFrame

from annotation.backends.media.container import opened_video, picture_stream
from annotation.backends.media.exceptions import VideoError
from annotation.backends.media.frame_index import FrameIndex
from annotation.backends.media.frames import FrameReader
from annotation.backends.media.picture_form import SIDEWAYS, clockwise_turn

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
        frames = FrameReader(container, picture_stream(container), index).starting_at(0)
        shown, following = next(frames, None), next(frames, None)
        if shown is None:
            raise VideoError("holds no picture that can be decoded")
        picture = _upright(shown[1], size)
        for row in range(rows):
            pictures = []
            for part in range(count):
                wanted = index.frame_at((row + (part + 0.5) / count) * seconds_per_row)
                latest = shown
                while following is not None and following[0] <= wanted:
                    latest, following = following, next(frames, None)
                if latest is not shown:
                    shown, picture = latest, _upright(latest[1], size)
                pictures.append(picture)
            yield np.stack(pictures)


def _upright(frame: VideoFrame, size: tuple[int, int]) -> Picture:
    turn = clockwise_turn(frame)
    width, height = size[::-1] if turn in SIDEWAYS else size
    small = frame.reformat(width=width, height=height, format="rgb24")
    picture: Picture = np.asarray(small.to_ndarray(), dtype=np.uint8)
    # numpy turns against the clock.
    return np.ascontiguousarray(np.rot90(picture, -turn // 90)) if turn else picture
