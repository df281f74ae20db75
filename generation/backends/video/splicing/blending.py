"""A short cross-fade at the joins, inside the clip, so that no time stamp moves.

The recording after the first cut is faded out over the first frames of the clip, and the recording
before the second cut is faded in over its last frames. Other scripts overlap the two instead, which
shifts every later step by the length of the fade.
"""

from collections.abc import Callable, Iterator
from itertools import repeat

import numpy as np
from av.video.frame import VideoFrame

from annotation.backends.media.facts import SPLICED_PIXEL_FORMAT
from generation.backends.video.edits import FrameEdit

# Returns frames `first` up to, not including, `last` of the recording.
Reader = Callable[[int, int], Iterator[VideoFrame]]

_BAND_ROWS = 64


def blended(
    frames: Iterator[VideoFrame],
    edit: FrameEdit,
    frame_count: int,
    read: Reader,
    fade_count: int,
) -> Iterator[VideoFrame]:
    """Yield the clips' frames with the first and last `fade_count` mixed with the recording.

    `frame_count` is the recording's. At most half of the clips is faded on each side.
    """
    count = min(fade_count, edit.clip_frame_count // 2)
    opening = _held_after(read, frame_count, edit.first, count)
    closing = _held_before(read, edit.last, count)
    for index, frame in enumerate(frames):
        left = edit.clip_frame_count - 1 - index
        if index < count:
            yield mixed(next(opening), frame, (index + 1) / (count + 1))
        elif left < count:
            yield mixed(next(closing), frame, (left + 1) / (count + 1))
        else:
            yield frame


def _held_after(read: Reader, frame_count: int, first: int, count: int) -> Iterator[VideoFrame]:
    """Yield `count` frames from `first` on, repeating the recording's last beyond its end."""
    first = min(first, frame_count - 1)
    yielded_count = 0
    frame = None
    for frame in read(first, min(first + count, frame_count)):
        yield frame
        yielded_count += 1
    if frame is not None:
        yield from repeat(frame, count - yielded_count)


def _held_before(read: Reader, last: int, count: int) -> Iterator[VideoFrame]:
    """Yield `count` frames that end before `last`, repeating the recording's first before it."""
    last = max(1, last)
    first = max(0, last - count)
    frames = read(first, last)
    opening = next(frames, None)
    if opening is not None:
        yield from repeat(opening, 1 + count - (last - first))
        yield from frames


def mixed(before: VideoFrame, after: VideoFrame, share: float) -> VideoFrame:
    """A picture with `share` (0 to 1) of `after`, the rest of `before`."""
    picture, other = (
        frame.reformat(format=SPLICED_PIXEL_FORMAT).to_ndarray() for frame in (before, after)
    )
    # In bands, for floats of the whole would need several times the memory of a frame.
    mixture = np.empty_like(picture)
    for at in range(0, len(picture), _BAND_ROWS):
        band = slice(at, at + _BAND_ROWS)
        start = picture[band].astype(np.float32)
        mixture[band] = np.rint(start + np.float32(share) * (other[band] - start))
    return VideoFrame.from_ndarray(mixture, format=SPLICED_PIXEL_FORMAT)
