"""H.264 encoding whose packets can stand between copied packets of another encoder."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain
from pathlib import Path
from typing import Protocol, cast

import av
from av.codec.context import Flags
from av.container import OutputContainer
from av.video.codeccontext import VideoCodecContext
from av.video.frame import PictureType, VideoFrame

from annotation.backends.media.aac import Samples, SoundForm, SoundWriter, sound_frames
from annotation.backends.media.container import LARGEST_SHARED_PIXELS, thread_count
from annotation.backends.media.facts import SPLICED_PIXEL_FORMAT, Media
from annotation.backends.media.h264 import annex_b_units, length_prefixed, parameter_sets
from annotation.backends.media.quiet_files import QUIET, unsigned, unsigned_packet

# Players seek to key frames; all videos of PIE-V have one every two seconds.
KEY_FRAME_INTERVAL_S = 2
# Few frames to look ahead, because each is in memory: seven megabytes at 1080p.
LOOK_AHEAD_FRAMES = 1
# For larger pictures an encoder may hold only the frame itself and the one that it refers to.
_SLIM = "bframes=0:ref=1:weightp=0:rc-lookahead=0:sync-lookahead=0"
_SLIMMER = f"{_SLIM}:subme=0:me=dia"
# Room for the table of contents at the front of the file: the most bytes per packet, and the rest.
_TABLE_BYTES_PER_PACKET, _TABLE_BYTES = 40, 16_384


@dataclass(frozen=True, slots=True)
class EncodedFrame:
    """One frame as an MP4 sample; `index` is its position in display order, from 0."""

    data: bytes
    index: int
    is_key: bool


@dataclass(frozen=True, slots=True)
class Quality:
    """How carefully to encode: x264's constant rate factor (less is better) and preset.

    With `is_small` the size of the file matters: the encoder then looks ahead, and frames may refer
    to later ones. Parts at joins are short, so their size does not matter.
    """

    rate_factor: float
    preset: str
    is_small: bool = False


# A join must not be visible: near the limit of what 8-bit pictures can show (well over 47 dB).
JOIN = Quality(rate_factor=10, preset="superfast")


def parameter_sets_of(media: Media, *, set_id: int) -> tuple[bytes, ...]:
    context = _join_encoder(media, set_id)
    context.open()
    return parameter_sets(annex_b_units(context.extradata or b""))


def encoded(
    frames: Iterable[VideoFrame], media: Media, *, set_id: int, length_size: int
) -> Iterator[EncodedFrame]:
    """Yield the frames at a join in decoding order, as H.264 in the form of the recording.

    The first is an instant refresh, and `set_id` distinguishes the parameter sets from the others
    of the track. Reordering is no deeper than the recording's, so that time stamps fit.
    """
    context = _join_encoder(media, set_id)
    for frame in chain(_numbered(frames, media), (None,)):
        # An encoder that got no frame must not be flushed.
        for packet in context.encode(frame) if frame is not None or context.is_open else ():
            data = length_prefixed(annex_b_units(unsigned(bytes(packet))), length_size)
            yield EncodedFrame(data, packet.pts or 0, packet.is_keyframe)


def _numbered(frames: Iterable[VideoFrame], media: Media) -> Iterator[VideoFrame]:
    """Yield the frames with the pixel format and time stamps that an encoder needs."""
    for index, frame in enumerate(frames):
        if frame.format.name != SPLICED_PIXEL_FORMAT:
            frame = frame.reformat(format=SPLICED_PIXEL_FORMAT)
        frame.pts, frame.time_base = index, 1 / media.frame_rate
        # The encoder would otherwise copy the old picture types.
        frame.pict_type = PictureType.NONE
        yield frame


def _join_encoder(media: Media, set_id: int) -> VideoCodecContext:
    context = cast(VideoCodecContext, av.CodecContext.create("libx264", "w"))
    configure(context, media, set_id=set_id, quality=JOIN)
    return context


def configure(context: VideoCodecContext, media: Media, *, set_id: int, quality: Quality) -> None:
    """Give an encoder the form of the recording."""
    context.width, context.height = media.width, media.height
    context.pix_fmt = SPLICED_PIXEL_FORMAT
    context.time_base, context.framerate = 1 / media.frame_rate, media.frame_rate
    context.sample_aspect_ratio = media.sample_aspect
    colours = ("color_range", "colorspace", "color_primaries", "color_trc")
    for name, value in zip(colours, media.colours, strict=True):
        setattr(context, name, value)
    context.flags |= Flags.global_header
    interval = max(1, round(KEY_FRAME_INTERVAL_S * media.frame_rate))
    threads = thread_count(media.width, media.height)
    if media.width * media.height > LARGEST_SHARED_PIXELS:
        frames_held = _SLIMMER
    elif not quality.is_small:
        frames_held = _SLIM
    else:
        # No more reordering than the recording's, or times would not fit between its packets. To
        # look where one of every two frames is best takes 5% of encoding and spares no byte.
        reordered = "bframes=1:b-adapt=0:b-pyramid=none"
        b_frames = reordered if media.reorder_depth else "bframes=0"
        frames_held = f"{b_frames}:ref=1:rc-lookahead={LOOK_AHEAD_FRAMES}:sync-lookahead=0"
    context.options = {
        "preset": quality.preset,
        "crf": str(quality.rate_factor),
        "x264-params": (
            f"sps-id={set_id}:keyint={interval}:open-gop=0:threads={threads}:{frames_held}"
        ),
    }


class SoundSource(Protocol):
    """Writes sound into an open file piece by piece; an `annotation...aac.SoundWriter` does."""

    def write_until(self, time_s: Fraction) -> None: ...

    def write_rest(self) -> None: ...


OpenSound = Callable[[OutputContainer], SoundSource]


def encoding_sound(form: SoundForm | None, blocks: Iterable[Samples]) -> OpenSound:
    """What encodes the samples of `blocks`; writes nothing where `form` is None."""
    return lambda output: SoundWriter(output, form, sound_frames(blocks, form) if form else ())


def write_file(
    path: Path,
    frames: Iterator[VideoFrame],
    target: Media,
    frame_count: int,
    *,
    open_sound: OpenSound,
    quality: Quality,
    set_id: int = 0,
) -> None:
    """Encode pictures into an MP4 file, alternately with the sound, so that little is buffered."""
    packet_count = 4 * frame_count + 1000
    table_bytes = _TABLE_BYTES + _TABLE_BYTES_PER_PACKET * packet_count
    options = {**QUIET, "moov_size": str(table_bytes)}
    with av.open(str(path), "w", format="mp4", options=options) as output:
        pictures = output.add_stream("libx264", rate=target.frame_rate)
        configure(
            cast(VideoCodecContext, pictures.codec_context), target, set_id=set_id, quality=quality
        )
        if target.rotation:
            pictures.set_display_rotation(-target.rotation)
        sound = open_sound(output)
        for index, frame in enumerate(_numbered(frames, target)):
            sound.write_until(index / target.frame_rate)
            output.mux([unsigned_packet(packet) for packet in pictures.encode(frame)])
        output.mux([unsigned_packet(packet) for packet in pictures.encode(None)])
        sound.write_rest()
