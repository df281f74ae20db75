"""Look into a video file, by content and never by name, with the FFmpeg inside PyAV."""

import stat
from dataclasses import dataclass
from itertools import islice, pairwise
from pathlib import Path
from statistics import median

import av
from av.container import InputContainer
from av.video.frame import VideoFrame
from av.video.stream import VideoStream

from annotation.backends.media.container import (
    SeekableFile,
    codec_of,
    is_cut_off,
    opened_video,
    picture_stream,
    sound_stream,
)
from annotation.backends.media.exceptions import VideoError

BROWSER_CODECS = frozenset({"h264", "vp8", "vp9", "av1"})
BROWSER_PIXEL_FORMATS = frozenset({"yuv420p", "yuvj420p"})
BROWSER_CONTAINERS = frozenset({"mov,mp4,m4a,3gp,3g2,mj2", "matroska,webm"})
MAX_DURATION_S = 7 * 24 * 3600
# Short clips are decoded in full; of longer ones the first picture, and their end is visited.
FULLY_DECODED_FRAMES = 60
NEAR_END = 0.95
# A group of pictures is hardly ever longer than this, so one of them near the end is in reach.
SOUGHT_PACKETS = 1000
TIMED_PACKETS = 120
# Packets come in decoding order: the last few of a sample still lack neighbours shown before them.
REORDERED_PACKETS = 16
# Frame distances that differ by more than this part of the usual one make a rate variable.
RATE_TOLERANCE = 0.2
VARIABLE_RATE_WARNING = "the frame rate varies: single-frame steps are approximate"


@dataclass(frozen=True, slots=True)
class VideoProbe:
    """What a video file is, as far as a quick look tells.

    Width and height are as coded; rotation is clockwise, in degrees. Whether the rate varies is
    told by the first frames; the ingestion reads them all, and the key frames with them.
    """

    size_bytes: int
    container: str
    video_codec: str
    pixel_format: str
    audio_codec: str
    audio_rate: int | None
    audio_channels: int | None
    width: int
    height: int
    rotation_degrees: int
    frame_rate: float
    frame_count: int | None
    duration_s: float
    start_s: float
    is_rate_variable: bool
    warnings: tuple[str, ...]


def probe_video(source: Path | SeekableFile) -> VideoProbe:
    """What the file is; raises `VideoError` when it is no video that can be played."""
    if isinstance(source, Path):
        try:
            status = source.stat()
        except OSError as error:
            raise VideoError(f"cannot be read ({error.strerror})") from error
        if not stat.S_ISREG(status.st_mode):
            raise VideoError("is not a regular file")
        size_bytes = status.st_size
    else:
        size_bytes = source.size_bytes
    if size_bytes == 0:
        raise VideoError("is empty")
    with opened_video(source) as container:
        stream = picture_stream(container)
        warnings = []
        if is_cut_off(stream, size_bytes):
            warnings.append("the file is cut off: its last frames are missing")
        duration_s = _duration_s(container, stream)
        frame, decoding_warnings = _decode_samples(container, stream, duration_s)
        warnings += decoding_warnings
        is_rate_variable = _is_rate_variable(container, stream)
        warnings += [VARIABLE_RATE_WARNING] if is_rate_variable else []
        codec, context = codec_of(stream), stream.codec_context
        warnings += browser_warnings(container.format.name, codec, frame.format.name)
        frame_rate = stream.average_rate or stream.guessed_rate or stream.base_rate
        if not frame_rate or frame_rate <= 0:
            raise VideoError("states no frame rate")
        sound = sound_stream(container)
        audio = sound.codec_context if sound else None
        return VideoProbe(
            size_bytes=size_bytes,
            container=container.format.name,
            video_codec=codec,
            pixel_format=frame.format.name,
            audio_codec=audio.name if audio else "",
            audio_rate=audio.rate if audio else None,
            audio_channels=audio.layout.nb_channels if audio else None,
            width=context.width,
            height=context.height,
            rotation_degrees=-round(frame.rotation) % 360,
            frame_rate=float(frame_rate),
            frame_count=stream.frames or None,
            duration_s=duration_s,
            start_s=float((stream.start_time or 0) * (stream.time_base or 0)),
            is_rate_variable=is_rate_variable,
            warnings=tuple(warnings),
        )


def _duration_s(container: InputContainer, stream: VideoStream) -> float:
    """The stated duration, else the one that the packets of the picture add up to."""
    duration_s = 0.0
    if stream.duration and stream.time_base:
        duration_s = float(stream.duration * stream.time_base)
    elif container.duration:
        duration_s = container.duration / av.time_base
    elif stream.time_base:
        # A browser's recorder writes WebM without a duration: only reading to the end tells.
        end = 0
        for packet in container.demux(stream):
            if packet.pts is not None:
                end = max(end, packet.pts + (packet.duration or 0))
        container.seek(0)
        duration_s = float((end - (stream.start_time or 0)) * stream.time_base)
    if not 0 < duration_s <= MAX_DURATION_S:
        raise VideoError(f"states a duration of {duration_s:g} s, which cannot be")
    return duration_s


def _decode_samples(
    container: InputContainer, stream: VideoStream, duration_s: float
) -> tuple[VideoFrame, list[str]]:
    """The first picture, and a warning when others cannot be decoded."""
    is_short = 0 < stream.frames <= FULLY_DECODED_FRAMES
    wanted_count = FULLY_DECODED_FRAMES if is_short else 1
    first: VideoFrame | None = None
    found_count = bad_count = 0
    try:
        for packet in islice(container.demux(stream), FULLY_DECODED_FRAMES + 1):
            try:
                frames = packet.decode()
            except av.FFmpegError:
                bad_count += 1
                continue
            found_count += len(frames)
            first = first or next(iter(frames), None)
            if found_count >= wanted_count:
                break
    except av.FFmpegError:
        bad_count += 1
    if first is None:
        raise VideoError("holds no picture that can be decoded")
    if is_short and bad_count:
        return first, [f"damaged frames that cannot be shown: {bad_count} of {stream.frames}"]
    if not is_short and not _has_packets_at(container, stream, duration_s * NEAR_END):
        return first, ["its last part is damaged or missing and cannot be shown"]
    return first, []


def _has_packets_at(container: InputContainer, stream: VideoStream, wanted_s: float) -> bool:
    """Whether the packets of a long file go on until that time.

    A truncated file without a table of its frames jumps to the last one it has, which may be far
    before the wanted time, and then simply ends.
    """
    try:
        container.seek(int(wanted_s * av.time_base))
        for packet in islice(container.demux(stream), SOUGHT_PACKETS):
            if packet.pts is None or packet.time_base is None:
                return False
            if float(packet.pts * packet.time_base) >= wanted_s:
                return True
    except av.FFmpegError:
        return False
    return True


def _is_rate_variable(container: InputContainer, stream: VideoStream) -> bool:
    """Whether the first frames do not follow each other at one pace."""
    try:
        container.seek(0)
        packets = islice(container.demux(stream), TIMED_PACKETS)
        times = sorted(packet.pts for packet in packets if packet.pts is not None)
    except av.FFmpegError:
        return False
    if len(times) > 2 * REORDERED_PACKETS:
        del times[-REORDERED_PACKETS:]
    gaps = [later - earlier for earlier, later in pairwise(times)]
    if not gaps:
        return False
    usual = median(gaps)
    # One tick is rounding: Matroska counts in milliseconds.
    tolerance = max(1, RATE_TOLERANCE * usual)
    return any(abs(gap - usual) > tolerance for gap in gaps)


def browser_warnings(container: str, codec: str, pixel_format: str) -> list[str]:
    """Why browsers cannot play such a picture in such a container, and what would help."""
    if codec not in BROWSER_CODECS:
        return [f"browsers cannot play {codec}; convert it to H.264"]
    if codec == "h264" and pixel_format not in BROWSER_PIXEL_FORMATS:
        return [f"browsers cannot play H.264 in {pixel_format}; convert it to yuv420p"]
    if container not in BROWSER_CONTAINERS:
        return [f"browsers cannot play a file of kind {container}; put it into MP4"]
    if container == "matroska,webm" and codec == "h264":
        return ["some browsers cannot play H.264 in Matroska; put it into MP4"]
    return []
