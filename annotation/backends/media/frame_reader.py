"""Decoded frames of one recording with a regular rate, by number; the file is opened once.

Opening a file of ten minutes costs as much as decoding three frames of it, and what stands before
the wanted frames is decoded only where something leans on it.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import av
from av.container import InputContainer
from av.packet import Packet
from av.video.frame import VideoFrame

from annotation.backends.media.container import opened, picture_stream, thread_count
from annotation.backends.media.exceptions import SourceError
from annotation.backends.media.facts import Media

# In an open group of pictures these may come before the key frame that they lean on.
LEADING_FRAMES = 16


class FrameReader:
    """Reads one range of frames after another; only one at a time."""

    def __init__(self, media: Media, container: InputContainer) -> None:
        self.media = media
        self._container = container
        self._stream = picture_stream(container)
        self._stream.thread_type = "AUTO"
        self._stream.codec_context.thread_count = thread_count(media.width, media.height)

    def between(self, first: int, last: int) -> Iterator[VideoFrame]:
        """Yield frames `first` up to, not including, `last`.

        Raises `SourceError` when one of them cannot be decoded.
        """
        name = self.media.path.name
        wanted = first
        try:
            for frame in self._decoded(first) if first < last else ():
                if frame.pts is None:
                    raise SourceError(f"frame {wanted} of {name} has no time")
                index = self._index(frame.pts)
                if index < first:
                    continue
                if index != wanted or frame.is_corrupt:
                    raise SourceError(f"frame {wanted} of {name} is missing or damaged")
                yield frame
                wanted += 1
                if wanted == last:
                    return
        except av.FFmpegError as error:
            raise SourceError(f"frame {wanted} of {name} is damaged ({error})") from error
        if first < last:
            raise SourceError(f"{name} ends at frame {wanted}; expected {last}")

    def _index(self, pts: int) -> int:
        return (pts - self.media.first_pts) // self.media.step

    def _decoded(self, first: int) -> Iterator[VideoFrame]:
        context = self._stream.codec_context
        for packet in self._packets_before(first):
            # Frames that no other leans on are decoded only when they are wanted.
            is_early = packet.pts is not None and self._index(packet.pts) < first
            context.skip_frame = "NONREF" if is_early else "DEFAULT"
            yield from packet.decode()

    def _packets_before(self, first: int) -> Iterator[Packet]:
        """Yield packets from the last key frame on that frame `first` can be decoded from."""
        media = self.media
        nearest = max((key for key in media.key_frames if key <= first), default=0)
        for frame in (nearest, first - LEADING_FRAMES):
            # The demuxer wants the time of showing, and looks for a key frame at or before it.
            self._container.seek(media.first_pts + max(0, frame) * media.step, stream=self._stream)
            packets = self._container.demux(self._stream)
            opening = next(packets, None)
            # A key frame is shown after the frames of an open group that stand before it.
            if opening is None or opening.pts is None or self._index(opening.pts) <= first:
                break
        if opening is not None:
            yield opening
            yield from packets


@contextmanager
def frame_reader(media: Media) -> Iterator[FrameReader]:
    """Open the recording for reading frames."""
    with opened(media.path) as container:
        yield FrameReader(media, container)


def frames_between(media: Media, first: int, last: int) -> Iterator[VideoFrame]:
    """Yield frames `first` up to, not including, `last` of a recording that is opened for it."""
    with frame_reader(media) as reader:
        yield from reader.between(first, last)
