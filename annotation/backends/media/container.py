"""Open video files, and find the picture and the sound that players would show.

Files come from anywhere and may be damaged or hostile. Only regular local files are opened, or
objects of a storage through the caller's reader, only the demuxers of the list below may read them
(no playlists, which could name other files), no protocol but `file` is allowed, and the size of a
picture is limited before one is decoded.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

import av
from av.audio.stream import AudioStream
from av.container import InputContainer
from av.video.stream import VideoStream

from annotation.backends.media.exceptions import SourceError, VideoError
from annotation.backends.media.memory import bound_memory

# FFmpeg's demuxer names; what people call them is in the message below.
DEMUXERS = "mov,mp4,m4a,3gp,3g2,mj2,matroska,webm,avi,mpegts,ogg"
CONTAINER_WORDS = "MP4, MOV, WebM, Matroska, AVI, MPEG-TS or Ogg"
# libdav1d and libvpx are FFmpeg's names for decoders, not for codecs.
CODEC_OF_DECODER = {"libdav1d": "av1", "libvpx": "vp8", "libvpx-vp9": "vp9"}
MAX_PIXELS = 8192 * 8192
# Every thread holds frames of its own, and those of larger pictures would not fit into memory.
MOST_THREADS = 2
LARGEST_SHARED_PIXELS = 2560 * 1440
# A smaller picture is decoded in about a millisecond, and a tenth of that goes into sharing it.
SMALLEST_SHARED_PIXELS = 1280 * 720


class SeekableFile(Protocol):
    """A file that is kept elsewhere; what its methods raise is passed on."""

    @property
    def size_bytes(self) -> int: ...

    def read(self, count: int) -> bytes: ...

    def seek(self, offset: int, whence: int = ...) -> int: ...

    def tell(self) -> int: ...


def _container(source: Path | SeekableFile) -> InputContainer:
    bound_memory()
    file = str(source.absolute()) if isinstance(source, Path) else source
    options = {"format_whitelist": DEMUXERS, "protocol_whitelist": "file"}
    return av.open(file, "r", options=options, metadata_errors="ignore")


@contextmanager
def opened_video(source: Path | SeekableFile) -> Iterator[InputContainer]:
    """Open a file of unknown origin; raise `VideoError` whenever FFmpeg cannot read it."""
    try:
        with _container(source) as container:
            yield container
    except av.error.PermissionError as error:
        raise VideoError("cannot be read (permission denied)") from error
    except (av.FFmpegError, UnicodeError, OverflowError) as error:
        raise VideoError(f"is damaged, or not a video in {CONTAINER_WORDS}") from error


@contextmanager
def opened(path: Path) -> Iterator[InputContainer]:
    """Open a local file; raise `SourceError` when it is no video. Errors of reading pass."""
    if not path.is_file():
        raise SourceError(f"{path.name} is not a file")
    try:
        container = _container(path)
    except (av.FFmpegError, UnicodeError, OverflowError) as error:
        raise SourceError(f"{path.name} is damaged or not a video ({error})") from error
    with container:
        yield container


@contextmanager
def opened_pictures(path: Path) -> Iterator[tuple[InputContainer, VideoStream]]:
    """Open a local file at its moving picture; raise `SourceError` when it has none."""
    with opened(path) as container:
        try:
            stream = picture_stream(container)
        except VideoError as error:
            raise SourceError(f"{path.name} {error}") from error
        yield container, stream


def picture_stream(container: InputContainer) -> VideoStream:
    """The first moving picture, cover pictures left out; raises `VideoError` without one."""
    streams = [
        stream
        for stream in container.streams.video
        if not stream.disposition & av.stream.Disposition.attached_pic
    ]
    if not streams:
        raise VideoError("has no moving picture")
    context = streams[0].codec_context
    if context is None:
        raise VideoError("has a picture in a codec that is not known here")
    if context.width <= 0 or context.height <= 0:
        raise VideoError("states no picture size")
    if context.width * context.height > MAX_PIXELS:
        raise VideoError(f"has pictures of {context.width} x {context.height}, which is too big")
    context.options = {"max_pixels": str(MAX_PIXELS)}
    context.thread_count = 1
    return streams[0]


def sound_stream(container: InputContainer) -> AudioStream | None:
    """The first sound that can be decoded, as players do."""
    for stream in container.streams.audio:
        if stream.codec_context is not None and stream.codec_context.rate:
            return stream
    return None


def codec_of(stream: VideoStream) -> str:
    return CODEC_OF_DECODER.get(stream.codec_context.name, stream.codec_context.name)


def is_cut_off(stream: VideoStream, size_bytes: int) -> bool:
    """Whether the file's own table names frames that lie beyond its end."""
    entries = stream.index_entries
    return len(entries) > 0 and entries[-1].pos + entries[-1].size > size_bytes


def thread_count(width: int, height: int) -> int:
    """How many threads may work on pictures of this size, so that memory stays bounded."""
    if width * height > LARGEST_SHARED_PIXELS:
        return 1
    return min(MOST_THREADS, os.cpu_count() or 1)


def decode_in_threads(stream: VideoStream) -> None:
    context = stream.codec_context
    if context.width * context.height < SMALLEST_SHARED_PIXELS:
        return
    stream.thread_type, context.thread_count = "AUTO", thread_count(context.width, context.height)
