"""Decoded frames of a recording: by number where the times of all are known, else by time."""

from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from typing import Generic, Protocol, TypeVar

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
from annotation.backends.media.exceptions import SourceError
from annotation.backends.media.facts import Media
from annotation.backends.media.frame_index import FrameIndex

# In an open group of pictures these may come before the key frame that they lean on.
LEADING_FRAMES = 16
# A frame's number or ticks, or its time in seconds.
Moment = TypeVar("Moment", int, Fraction)


class FrameTimes(Protocol):
    """When the frames of a file are shown, in ticks; a `FrameIndex` or the grid of a `Media`."""

    def pts_of(self, frame: int) -> int: ...

    def number_of(self, pts: int) -> int | None: ...

    def key_pts_before(self, pts: int) -> int: ...


class FrameReader:
    """Reads frames of an open recording by number, one range after another.

    Opening a file of ten minutes costs as much as decoding three frames of it.
    """

    def __init__(
        self, container: InputContainer, stream: VideoStream, times: FrameTimes, name: str = ""
    ) -> None:
        decode_in_threads(stream)
        self.name = name
        self._container = container
        self._stream = stream
        self._times = times
        self._ahead: Iterator[tuple[int, VideoFrame]] = iter(())
        self._last: tuple[int, VideoFrame] | None = None

    def between(self, first: int, last: int) -> Iterator[VideoFrame]:
        """Yield frames `first` up to, not including, `last`.

        Raises `SourceError` when one of them cannot be decoded.
        """
        if first >= last:
            return
        wanted = first
        try:
            for number, frame in self.starting_at(first, is_strict=True):
                if number != wanted:
                    raise SourceError(f"frame {wanted} of {self.name} is missing or damaged")
                yield frame
                wanted += 1
                if wanted == last:
                    return
        except av.FFmpegError as error:
            raise SourceError(f"frame {wanted} of {self.name} is damaged ({error})") from error
        raise SourceError(f"{self.name} ends at frame {wanted}; expected {last}")

    def frame(self, number: int) -> VideoFrame | None:
        """A frame, or the one before where it cannot be decoded.

        Goes forward from the frame before, unless a key frame lies between: then a seek costs less.
        """
        pts_of, key_pts_before = self._times.pts_of, self._times.key_pts_before
        at = self._last[0] if self._last else None
        if at is None or not key_pts_before(pts_of(number)) <= pts_of(at) <= pts_of(number):
            self._ahead = self.starting_at(number)
            self._last = next(self._ahead, None)
        found = self._last if self._last and self._last[0] <= number else None
        while found is None or found[0] < number:
            following = next(self._ahead, None)
            if following is None:
                break
            self._last = following
            if following[0] > number:
                break
            found = following
        return found[1] if found else None

    def starting_at(
        self, first: int, *, is_strict: bool = False
    ) -> Iterator[tuple[int, VideoFrame]]:
        """Yield (number, frame) from frame `first` on.

        What cannot be decoded is left out, or raises FFmpeg's errors where it `is_strict`.
        """
        times = self._times
        start = times.key_pts_before(times.pts_of(0))
        keys = {
            times.key_pts_before(times.pts_of(max(0, frame)))
            for frame in (first, first - LEADING_FRAMES)
        }
        # Some containers cannot seek that exactly, and frames of an open group stand after the key
        # frame that they are shown before: then decoding begins earlier, at last with the file.
        for key in sorted({*keys, start}, reverse=True):
            self._container.seek(min(key, 0) if key == start else key, stream=self._stream)
            frames = self._decoded(first, is_strict)
            opening = next(frames, None)
            if opening is None or opening[0] <= first or key == start:
                break
        if opening is not None and opening[0] >= first:
            yield opening
        for number, frame in frames:
            if number >= first:
                yield number, frame

    def _decoded(self, first: int, is_strict: bool) -> Iterator[tuple[int, VideoFrame]]:
        """Yield (number, frame) from here on, without the frames that are never shown."""
        packets, number_of = self._container.demux(self._stream), self._times.number_of
        forgiven = () if is_strict else (av.FFmpegError,)
        while True:
            try:
                packet = next(packets, None)
            except forgiven:
                return
            if packet is None:
                return
            if is_strict:
                # Frames that no other leans on are decoded only when they are wanted.
                is_early = packet.pts is not None and (number_of(packet.pts) or 0) < first
                self._stream.codec_context.skip_frame = "NONREF" if is_early else "DEFAULT"
            try:
                frames = packet.decode()
            except forgiven:
                continue
            for frame in frames:
                number = None if frame.pts is None else number_of(frame.pts)
                if number is not None and not frame.is_corrupt:
                    yield number, frame


class ShownFrames(Generic[Moment]):
    """Goes through frames once, asked for rising moments: which of them is shown at each."""

    def __init__(self, timed: Iterator[tuple[Moment, VideoFrame]]) -> None:
        self._timed: Iterator[tuple[Moment, VideoFrame]] = timed
        self._shown: tuple[Moment, VideoFrame] | None = None
        self.following: tuple[Moment, VideoFrame] | None = next(timed, None)

    def at(self, moment: Moment) -> tuple[Moment, VideoFrame] | None:
        """The frame and its moment, the first one also before it; None where there is none."""
        while self.following and (self._shown is None or self.following[0] <= moment):
            self._shown, self.following = self.following, next(self._timed, None)
        return self._shown


@contextmanager
def frame_reader(media: Media) -> Iterator[FrameReader]:
    """Open a recording with a regular rate for reading frames."""
    with opened_pictures(media.path) as (container, stream):
        yield FrameReader(container, stream, media, media.path.name)


def frames_between(media: Media, first: int, last: int) -> Iterator[VideoFrame]:
    """Yield frames `first` up to, not including, `last` of a recording that is opened for it."""
    with frame_reader(media) as reader:
        yield from reader.between(first, last)


def shown_frames(path: Path, index: FrameIndex, first: int) -> Iterator[tuple[int, VideoFrame]]:
    """Yield (number, frame) from frame `first` on; frames that cannot be decoded are left out."""
    with opened_video(path) as container:
        reader = FrameReader(container, picture_stream(container), index)
        yield from reader.starting_at(first)


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
