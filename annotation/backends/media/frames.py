"""Decode the frames of a recording in the order of showing, upright where a picture is wanted."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import av
from av.container import InputContainer
from av.video.frame import VideoFrame
from av.video.stream import VideoStream

from annotation.backends.media.container import (
    decode_in_threads,
    opened_pictures,
    opened_video,
    picture_stream,
)
from annotation.backends.media.exceptions import VideoError
from annotation.backends.media.facts import Media
from annotation.backends.media.frame_index import FrameIndex
from annotation.backends.media.frame_reader import LEADING_FRAMES

SIDEWAYS = frozenset({90, 270})


@dataclass(frozen=True, slots=True)
class PictureForm:
    """How a decoded picture has to be treated to be shown; rotation is clockwise, in degrees."""

    width: int
    height: int
    rotation: int
    sample_aspect: Fraction
    is_interlaced: bool
    colours: tuple[int, int, int]

    @property
    def is_sideways(self) -> bool:
        return self.rotation in SIDEWAYS

    @property
    def shown_size(self) -> tuple[int, int]:
        """Return width and height of the upright picture with square pixels."""
        width, height = round(self.width * self.sample_aspect), self.height
        return (height, width) if self.is_sideways else (width, height)


def picture_form(path: Path) -> PictureForm:
    """Return the form of a file's first picture; raise `VideoError` when none can be decoded."""
    with opened_video(path) as container:
        stream = picture_stream(container)
        for _, frame in _decoded(container, stream):
            context = stream.codec_context
            aspect = Fraction(stream.sample_aspect_ratio or 0)
            return PictureForm(
                width=frame.width,
                height=frame.height,
                rotation=-round(frame.rotation / 90) * 90 % 360,
                # Some files state an aspect of 0:1, or one that would make a stripe of the picture.
                sample_aspect=aspect if Fraction(1, 4) <= aspect <= 4 else Fraction(1),
                is_interlaced=frame.interlaced_frame,
                colours=(
                    int(context.colorspace),
                    int(context.color_primaries),
                    int(context.color_trc),
                ),
            )
    raise VideoError("holds no picture that can be decoded")


def shown_frames(path: Path, index: FrameIndex, first: int) -> Iterator[tuple[int, VideoFrame]]:
    """Yield (number, frame) from frame `first` on; frames that cannot be decoded are left out."""
    with opened_video(path) as container:
        stream = picture_stream(container)
        decode_in_threads(stream)
        yield from _from_frame(container, stream, index, first)


class FrameReader:
    """Fetches single frames of an open file, going forward where that costs less than a seek."""

    def __init__(self, container: InputContainer, index: FrameIndex) -> None:
        self._container = container
        self._stream = picture_stream(container)
        decode_in_threads(self._stream)
        self._index = index
        self._ahead: Iterator[tuple[int, VideoFrame]] = iter(())
        self._last: tuple[int, VideoFrame] | None = None

    def frame(self, wanted: int) -> VideoFrame | None:
        """Return a frame by its number, or the one before where it cannot be decoded."""
        if self._last is None or not self._is_near(self._last[0], wanted):
            self._ahead = _from_frame(self._container, self._stream, self._index, wanted)
            self._last = next(self._ahead, None)
        found = self._last if self._last and self._last[0] <= wanted else None
        while found is None or found[0] < wanted:
            following = next(self._ahead, None)
            if following is None:
                break
            self._last = following
            if following[0] > wanted:
                break
            found = following
        return found[1] if found else None

    def _is_near(self, at: int, wanted: int) -> bool:
        """Return whether no key frame lies between, so that a seek would decode more."""
        pts = self._index.pts
        return at <= wanted and self._index.key_pts_before(int(pts[wanted])) <= int(pts[at])


def _from_frame(
    container: InputContainer, stream: VideoStream, index: FrameIndex, first: int
) -> Iterator[tuple[int, VideoFrame]]:
    """Seek to the key frame of a frame and yield from that frame on.

    Where the container cannot seek that exactly, decoding begins at the start of the file.
    """
    key_pts = index.key_pts_before(int(index.pts[first]))
    is_at_start = key_pts <= int(index.key_pts[0])
    container.seek(min(key_pts, 0) if is_at_start else key_pts, stream=stream)
    is_first = True
    for pts, frame in _decoded(container, stream):
        number = index.number_of(pts)
        if is_first and number is not None and number > first and not is_at_start:
            container.seek(min(int(index.key_pts[0]), 0), stream=stream)
            yield from _numbered(container, stream, index, first)
            return
        is_first = is_first and number is None
        if number is not None and number >= first:
            yield number, frame


def _numbered(
    container: InputContainer, stream: VideoStream, index: FrameIndex, first: int
) -> Iterator[tuple[int, VideoFrame]]:
    for pts, frame in _decoded(container, stream):
        number = index.number_of(pts)
        if number is not None and number >= first:
            yield number, frame


def _decoded(container: InputContainer, stream: VideoStream) -> Iterator[tuple[int, VideoFrame]]:
    """Yield (pts, frame); damaged packets yield nothing."""
    packets = container.demux(stream)
    while True:
        try:
            packet = next(packets)
        except (StopIteration, av.FFmpegError):
            return
        try:
            frames = packet.decode()
        except av.FFmpegError:
            continue
        for frame in frames:
            if frame.pts is not None and not frame.is_corrupt:
                yield frame.pts, frame


def timed_frames(media: Media, start: Fraction) -> Iterator[tuple[Fraction, VideoFrame]]:
    """Yield (seconds on the file's clock, frame) from the frame shown at `start` on."""
    with opened_pictures(media.path) as (container, stream):
        decode_in_threads(stream)
        _seek_to_key_frame(container, stream, media, start - LEADING_FRAMES / media.frame_rate)
        previous: tuple[Fraction, VideoFrame] | None = None
        for frame in container.decode(stream):
            if frame.pts is None:
                continue
            timed = (frame.pts * media.time_base, frame)
            if timed[0] > start and previous is not None:
                yield previous
                previous = None
            if timed[0] > start:
                yield timed
            else:
                previous = timed
        if previous is not None:
            yield previous


def _seek_to_key_frame(
    container: InputContainer, stream: VideoStream, media: Media, at: Fraction
) -> None:
    """Go to a key frame at or before `at`; some demuxers stop between two of them."""
    back = Fraction(0)
    while at - back > media.time_of(0):
        ticks = int((at - back) / media.time_base)
        container.seek(ticks, stream=stream)
        packet = next(iter(container.demux(stream)), None)
        if packet is not None and packet.is_keyframe and (packet.pts or 0) <= ticks:
            container.seek(ticks, stream=stream)
            return
        back = 2 * back or Fraction(1)
    container.seek(0)
