"""What a splice has to know about a file: its frame grid, its key frames, its sound, its obstacles.

Frames are counted from 0 in the order in which they are shown. A track fit for splicing by packets
has one frame per `step` ticks, starting at `first_pts`; what prevents that is listed as an
obstacle, in words that a person can act on.
"""

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import av
from av.container import InputContainer
from av.video.stream import VideoStream

from annotation.backends.media.aac import AAC_PACKET_SAMPLES, aac_config
from annotation.backends.media.container import codec_of, is_cut_off, opened_pictures, sound_stream
from annotation.backends.media.exceptions import SourceError
from annotation.backends.media.h264 import AvcRecord, H264Error
from annotation.backends.media.picture_form import clockwise_turn

MP4_DEMUXER = "mov,mp4,m4a,3gp,3g2,mj2"
SPLICED_PIXEL_FORMAT = "yuv420p"
# x264 reorders by at most two frames (a pyramid of B-frames).
DEEPEST_REORDERING = 2
# A frame rate above this is a time stamp unit that was taken for one.
HIGHEST_RATE = 240
# An encoder's first packets, up to three, come before the first frame. Sound that begins earlier
# would be before the new file's clock, and demuxers leave that out.
LONGEST_LEAD_S = Fraction(1, 15)


@dataclass(frozen=True, slots=True)
class SoundTrack:
    """The sound of a file: `packet_pts` in samples; `config` is the codec's own description."""

    codec: str
    sample_rate: int
    layout: str
    packet_pts: tuple[int, ...]
    config: bytes
    bit_rate: int
    is_in_samples: bool

    def lead_s(self, time_s: Fraction) -> Fraction:
        """How many seconds it begins before a time of the file's clock."""
        return time_s - Fraction(self.packet_pts[0], self.sample_rate)


@dataclass(frozen=True, slots=True)
class Media:
    """A video file as a splice sees it.

    `step` is the distance of frames and `first_pts` the first frame's time, in ticks of
    `time_base`; `lead` how many ticks decoding runs ahead of showing; `key_frames` are in order.
    `rotation` is how many degrees clockwise a player turns the coded picture. `obstacles` says why
    the file cannot be spliced by packets; empty when it can. `can_copy_sound` says whether its
    packets of sound can be copied beside pictures that are encoded.
    """

    path: Path
    width: int
    height: int
    pixel_format: str
    frame_rate: Fraction
    time_base: Fraction
    step: int
    first_pts: int
    lead: int
    frame_count: int
    key_frames: tuple[int, ...]
    rotation: int
    sample_aspect: Fraction
    colours: tuple[int, int, int, int]
    record: AvcRecord | None
    sound: SoundTrack | None
    obstacles: tuple[str, ...]
    can_copy_sound: bool

    @property
    def start_s(self) -> float:
        return float(self.first_pts * self.time_base)

    @property
    def duration_s(self) -> float:
        return float(self.frame_count / self.frame_rate)

    @property
    def reorder_depth(self) -> int:
        return self.lead // self.step if self.step else 0

    def pts_of(self, frame: int) -> int:
        return self.first_pts + frame * self.step

    def number_of(self, pts: int) -> int | None:
        """The number of the frame shown at a time; None before the first."""
        return (pts - self.first_pts) // self.step if pts >= self.first_pts else None

    def key_pts_before(self, pts: int) -> int:
        """The key frame at or before a time; the first frame where there is none."""
        place = bisect_right(self.key_frames, (pts - self.first_pts) // self.step) - 1
        return self.pts_of(self.key_frames[place] if place >= 0 else 0)

    def time_of(self, frame: int) -> Fraction:
        """When a frame is shown, in seconds of the file's own clock."""
        return self.first_pts * self.time_base + frame / self.frame_rate


def read_media(path: Path) -> Media:
    """The facts of a file; raises `SourceError` when there is no picture to work with."""
    with opened_pictures(path) as (container, stream):
        grid = _Grid.of(container, stream)
        record, record_obstacle = _avc_record(stream)
        sound = _read_sound(container)
        sound_obstacles = [
            *_sound_obstacles(container, sound),
            *(["the file is cut off"] if is_cut_off(stream, path.stat().st_size) else ()),
        ]
        obstacles = [
            *sound_obstacles,
            *_track_obstacles(container),
            *record_obstacle,
            *_picture_obstacles(container, stream, grid),
        ]
        try:
            opening = next(container.decode(stream))
        except (StopIteration, av.FFmpegError) as error:
            raise SourceError(f"the file has no frame that can be decoded ({error})") from error
        context = stream.codec_context
        return Media(
            path=path,
            width=context.width,
            height=context.height,
            pixel_format=context.pix_fmt or "",
            frame_rate=grid.frame_rate,
            time_base=Fraction(stream.time_base or 1),
            step=grid.step,
            first_pts=grid.first_pts,
            lead=grid.lead,
            frame_count=grid.frame_count,
            key_frames=grid.key_frames,
            rotation=clockwise_turn(opening),
            sample_aspect=Fraction(context.sample_aspect_ratio or 1),
            colours=(
                int(context.color_range),
                int(context.colorspace),
                int(context.color_primaries),
                int(context.color_trc),
            ),
            record=record,
            sound=sound,
            obstacles=tuple(obstacles),
            can_copy_sound=(
                sound is not None
                and not sound_obstacles
                and not grid.hides_frames
                and sound.lead_s(grid.first_pts * Fraction(stream.time_base or 1)) <= LONGEST_LEAD_S
            ),
        )


@dataclass(frozen=True, slots=True)
class _Grid:
    frame_rate: Fraction
    step: int
    first_pts: int
    lead: int
    frame_count: int
    key_frames: tuple[int, ...]
    is_regular: bool
    hides_frames: bool

    @classmethod
    def of(cls, container: InputContainer, stream: VideoStream) -> "_Grid":
        """Read the table of frames where there is a whole one, else the packets."""
        entries = stream.index_entries
        hides_frames = False
        if container.format.name == MP4_DEMUXER and stream.frames == len(entries) and len(entries):
            decoded = [entry.timestamp for entry in entries]
            keys = tuple(index for index, entry in enumerate(entries) if entry.is_keyframe)
            first = stream.start_time if stream.start_time is not None else decoded[0]
            end = first + (stream.duration or 0)
            # An edit list can hide frames before the first that is shown.
            try:
                packet = next(container.demux(stream))
                container.seek(0)
            except (StopIteration, av.FFmpegError) as error:
                raise SourceError(f"the file is damaged ({error})") from error
            hides_frames = packet.is_discard or (packet.pts is not None and packet.pts < first)
        else:
            decoded, keys, first, end = _packet_times(container, stream)
        time_base = Fraction(stream.time_base or 1)
        step = decoded[1] - decoded[0] if len(decoded) > 1 else max(1, end - first)
        is_regular = step > 0 and all(
            time == decoded[0] + index * step for index, time in enumerate(decoded)
        )
        frame_rate = 1 / (step * time_base) if is_regular else _stated_rate(stream)
        if frame_rate > HIGHEST_RATE:
            is_regular, frame_rate = False, _stated_rate(stream)
        count = len(decoded)
        if not is_regular or hides_frames:
            count = max(1, round((end - first) * time_base * frame_rate))
        lead = first - decoded[0]
        return cls(frame_rate, step, first, lead, count, keys, is_regular, hides_frames)


def _packet_times(
    container: InputContainer, stream: VideoStream
) -> tuple[list[int], tuple[int, ...], int, int]:
    decoded: list[int] = []
    keys: list[int] = []
    first, end = None, 0
    try:
        for packet in container.demux(stream):
            if packet.pts is None:
                continue
            if packet.is_keyframe:
                keys.append(len(decoded))
            decoded.append(packet.dts if packet.dts is not None else packet.pts)
            first = packet.pts if first is None else min(first, packet.pts)
            end = max(end, packet.pts + (packet.duration or 0))
        container.seek(0)
    except av.FFmpegError as error:
        raise SourceError(f"the file is damaged ({error})") from error
    if first is None:
        raise SourceError("the file has no frames")
    return decoded, tuple(keys), first, end


def _stated_rate(stream: VideoStream) -> Fraction:
    for rate in (stream.guessed_rate, stream.average_rate, stream.base_rate):
        if rate and 0 < rate <= HIGHEST_RATE:
            return Fraction(rate)
    raise SourceError("the file states no usable frame rate")


def _avc_record(stream: VideoStream) -> tuple[AvcRecord | None, tuple[str, ...]]:
    codec = codec_of(stream)
    if codec != "h264":
        return None, (f"the picture is {codec}, not H.264",)
    try:
        record = AvcRecord.parse(stream.codec_context.extradata or b"")
        if not record.is_progressive:
            return record, ("the picture is (or may be) interlaced",)
    except H264Error as error:
        return None, (str(error),)
    return record, ()


def _track_obstacles(container: InputContainer) -> Iterator[str]:
    if len(container.streams.video) > 1:
        yield f"the file has {len(container.streams.video)} video tracks"
    if len(container.streams.audio) > 1:
        yield f"the file has {len(container.streams.audio)} sound tracks; only the first is kept"


def _sound_obstacles(container: InputContainer, sound: SoundTrack | None) -> Iterator[str]:
    if container.format.name != MP4_DEMUXER:
        yield f"the container is {container.format.name}, not MP4"
    if sound is None:
        return
    if sound.codec != "aac":
        yield f"the sound is {sound.codec}, not AAC"
    elif sound.config[:2] != aac_config(sound.sample_rate, sound.layout):
        yield "the sound is another kind of AAC than AAC-LC in mono or stereo"
    elif not sound.is_in_samples or any(
        later - earlier < AAC_PACKET_SAMPLES for earlier, later in pairwise(sound.packet_pts)
    ):
        yield "the sound has packets of another length than 1,024 samples"


def _picture_obstacles(
    container: InputContainer, stream: VideoStream, grid: _Grid
) -> Iterator[str]:
    pixel_format = stream.codec_context.pix_fmt
    if pixel_format != SPLICED_PIXEL_FORMAT:
        yield f"the pixel format is {pixel_format}, not {SPLICED_PIXEL_FORMAT}"
    if grid.hides_frames:
        yield "the file hides frames before the first that is shown"
    elif not grid.is_regular:
        yield "the frame rate varies"
    elif grid.lead % grid.step or not 0 <= grid.lead <= DEEPEST_REORDERING * grid.step:
        yield f"decoding runs ahead by {grid.lead / grid.step:g} frames; expected 0, 1 or 2"
    if not grid.key_frames or grid.key_frames[0] != 0:
        yield "the first frame is no key frame"
    elif grid.is_regular and not grid.hides_frames and _lacks_frames(container, stream, grid):
        yield "frames are missing near its end, as after a cut without encoding"


def _lacks_frames(container: InputContainer, stream: VideoStream, grid: _Grid) -> bool:
    """Whether the last group has frames beyond the count: then some before them are gone.

    Tools that cut by copying packets leave frames out that are shown early but decoded late.
    """
    last_key = grid.key_frames[-1]
    try:
        container.seek(grid.first_pts + last_key * grid.step, stream=stream)
        shown = [item.pts for item in container.demux(stream) if item.pts is not None]
        container.seek(0)
    except av.FFmpegError:
        # Damage here is reported when these frames are read.
        return False
    return bool(shown) and (max(shown) - grid.first_pts) // grid.step >= grid.frame_count


def _read_sound(container: InputContainer) -> SoundTrack | None:
    stream = sound_stream(container)
    if stream is None:
        return None
    context = stream.codec_context
    times = tuple(entry.timestamp for entry in stream.index_entries)
    return SoundTrack(
        codec=context.name,
        sample_rate=context.rate,
        layout=context.layout.name,
        packet_pts=times,
        config=context.extradata or b"",
        bit_rate=context.bit_rate or 0,
        is_in_samples=bool(times) and stream.time_base == Fraction(1, context.rate),
    )
