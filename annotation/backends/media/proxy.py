"""Make what a browser plays out of a recording that it does not.

The proxy is H.264 yuv420p at a constant rate with closed groups of at most two seconds, AAC at
48 kHz, the table of contents in front, upright, deinterlaced, with square pixels. Its second 0 is
the first frame of the source, and at every moment it shows the frame that the source shows then:
frame k of the proxy lies at k / rate seconds. Sound before the first frame is left out.

It is encoded in segments that are files of their own and stay until all is done, so that an attempt
after a killed one goes on where that one was.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import cast

import av
import numpy as np
import numpy.typing as npt
from av.codec.context import Flags
from av.video.codeccontext import VideoCodecContext
from av.video.frame import PictureType, VideoFrame

from annotation.backends.media.container import LARGEST_SHARED_PIXELS
from annotation.backends.media.frame_index import FrameIndex, read_frame_index
from annotation.backends.media.frames import ShownFrames, shown_frames
from annotation.backends.media.picture_form import DEINTERLACED, TURNS, Filters, PictureForm
from annotation.backends.media.proxy_sound import proxy_sound
from annotation.backends.media.quiet_files import PLAIN_MP4, QUIET, fill_up, unsigned_packet
from annotation.backends.publishing import draft_of, publish

PIXEL_FORMAT = "yuv420p"
LONGEST_GROUP_S = 2
# So many groups are lost with a killed worker, at most.
SEGMENT_GROUPS = 10
SEGMENT = "segment-"
# Larger pictures are made smaller: half of 8K is what browsers and their graphics cards decode.
LONGEST_SIDE = 3840
# A rater judges details, so the picture should look like the source's.
RATE_FACTOR, PRESET = 20, "veryfast"
# Each holds frames in memory, of which the encoder keeps several versions.
LOOK_AHEAD_FRAMES, B_FRAMES, ENCODING_THREADS = 1, 1, 2
# Frames that cannot be decoded are bridged by the one before; more than this is no recording.
LONGEST_HOLD_S = 2.0
LIMITED_RANGE, FULL_RANGE = 1, 2


class ProxyError(ValueError):
    """No proxy can be made; the message says why."""


@dataclass(frozen=True, slots=True)
class Proxy:
    """What a proxy is. `repeated_count` of its frames show the frame before once more.

    `left_out_count` frames of the source are not in it, `damaged_count` could not be decoded.
    """

    width: int
    height: int
    frame_rate: float
    frame_count: int
    duration_s: float
    size_bytes: int
    repeated_count: int
    left_out_count: int
    damaged_count: int


@dataclass(frozen=True, slots=True)
class ProxyPlan:
    """What a proxy of a recording is to be: `sources[k]` (N,) is the frame that frame k shows."""

    source: Path
    index: FrameIndex
    form: PictureForm
    width: int
    height: int
    rate: Fraction
    sources: npt.NDArray[np.int64]

    @property
    def frame_count(self) -> int:
        return len(self.sources)

    @property
    def group_frames(self) -> int:
        return max(1, int(LONGEST_GROUP_S * self.rate))

    @property
    def segment_frames(self) -> int:
        return SEGMENT_GROUPS * self.group_frames

    @property
    def segment_count(self) -> int:
        return -(-self.frame_count // self.segment_frames)


def plan_proxy(source: Path, index: FrameIndex, form: PictureForm) -> ProxyPlan:
    """Size, rate and frames of the proxy of a recording."""
    width, height = form.shown_size
    scale = min(1.0, LONGEST_SIDE / max(width, height))
    rate = index.grid_rate
    count = max(1, round(Fraction(index.duration_s) * rate))
    # A frame that comes a little late for its place on the grid still belongs there.
    moments_s = (np.arange(count) + 0.25) / float(rate)
    sources = np.searchsorted(index.times_s, moments_s, side="right") - 1
    return ProxyPlan(
        source=source,
        index=index,
        form=form,
        width=max(2, round(width * scale / 2) * 2),
        height=max(2, round(height * scale / 2) * 2),
        rate=rate,
        sources=np.maximum(sources, 0),
    )


def finished_segments(plan: ProxyPlan, folder: Path) -> int:
    """How many segments an earlier attempt left, counted from the first."""
    done = (number for number in range(plan.segment_count) if not _segment(folder, number).exists())
    return next(done, plan.segment_count)


def make_proxy(
    plan: ProxyPlan, folder: Path, out: Path, on_progress: Callable[[int], None]
) -> Proxy:
    """Write the proxy to `out`, with its segments in `folder`, and return what it is.

    `on_progress` gets after every frame how many there are, those of an earlier attempt included.
    Raises `ProxyError` when the recording cannot be decoded or the result is not as it should be.
    """
    first = finished_segments(plan, folder)
    frames = _Frames(plan, first * plan.segment_frames)
    for number in range(first, plan.segment_count):
        _write_segment(plan, number, frames, _segment(folder, number), on_progress)
    with draft_of(out) as draft:
        _join(plan, [_segment(folder, number) for number in range(plan.segment_count)], draft)
        # Is what was written what a browser needs?
        written = read_frame_index(draft)
        if written.frame_count != plan.frame_count:
            raise ProxyError(f"became {written.frame_count} frames; expected {plan.frame_count}")
        if not written.has_closed_groups or written.is_rate_variable or written.first_pts:
            raise ProxyError("became a proxy with open groups or uneven times")
        tolerance_s = 1 / float(plan.rate)
        if written.key_frame_distance_s > LONGEST_GROUP_S + tolerance_s:
            raise ProxyError(f"became groups of {written.key_frame_distance_s:.1f} s")
        fill_up(draft)
        publish(draft, out)
    shown = np.unique(plan.sources)
    return Proxy(
        width=plan.width,
        height=plan.height,
        frame_rate=float(plan.rate),
        frame_count=plan.frame_count,
        duration_s=float(plan.frame_count / plan.rate),
        size_bytes=out.stat().st_size,
        repeated_count=plan.frame_count - len(shown),
        left_out_count=plan.index.frame_count - len(shown),
        damaged_count=frames.damaged_count,
    )


def remove_segments(folder: Path) -> None:
    """Remove the segments of a finished proxy."""
    for segment in folder.glob(f"{SEGMENT}*"):
        segment.unlink()


def _segment(folder: Path, number: int) -> Path:
    return folder / f"{SEGMENT}{number:05d}.mp4"


class _Frames:
    """The frames of the proxy from one on, each as the source shows it at that moment."""

    def __init__(self, plan: ProxyPlan, first: int) -> None:
        self._plan = plan
        self._at = first
        self._shown = ShownFrames(shown_frames(plan.source, plan.index, int(plan.sources[first])))
        self.damaged_count = 0

    def take(self, count: int) -> Iterator[VideoFrame]:
        """Yield the next `count` frames; raise `ProxyError` where too many are damaged."""
        times_s = self._plan.index.times_s
        for place in range(self._at, self._at + count):
            wanted = int(self._plan.sources[place])
            shown = self._shown.at(wanted)
            if shown is None:
                raise ProxyError(f"is damaged at {float(place / self._plan.rate):.1f} s")
            number, frame = shown
            if abs(float(times_s[wanted] - times_s[number])) > LONGEST_HOLD_S:
                raise ProxyError(f"is damaged from {float(times_s[number]):.1f} s on")
            self.damaged_count += number != wanted
            self._at = place + 1
            yield frame


def _write_segment(
    plan: ProxyPlan, number: int, frames: _Frames, out: Path, on_progress: Callable[[int], None]
) -> None:
    first = number * plan.segment_frames
    count = min(plan.segment_frames, plan.frame_count - first)
    with draft_of(out) as draft:
        with av.open(str(draft), "w", format="mp4", options=QUIET) as output:
            stream = output.add_stream("libx264", rate=plan.rate)
            context = cast(VideoCodecContext, stream.codec_context)
            context.width, context.height, context.pix_fmt = plan.width, plan.height, PIXEL_FORMAT
            context.time_base, context.framerate = 1 / plan.rate, plan.rate
            context.color_range = LIMITED_RANGE
            context.colorspace, context.color_primaries, context.color_trc = plan.form.colours
            context.flags |= Flags.global_header
            frames_held = f"bframes={B_FRAMES}:threads={ENCODING_THREADS}"
            if plan.width * plan.height > LARGEST_SHARED_PIXELS:
                frames_held = "bframes=0:ref=1:weightp=0:threads=1"
            context.options = {
                "preset": PRESET,
                "crf": str(RATE_FACTOR),
                "x264-params": (
                    f"keyint={plan.group_frames}:open-gop=0:rc-lookahead={LOOK_AHEAD_FRAMES}"
                    f":sync-lookahead=0:{frames_held}"
                ),
            }
            for place, frame in enumerate(_upright(frames.take(count), plan)):
                frame.pts, frame.time_base = place, 1 / plan.rate
                # The encoder would otherwise copy the old picture types.
                frame.pict_type = PictureType.NONE
                output.mux([unsigned_packet(packet) for packet in stream.encode(frame)])
                on_progress(first + place + 1)
            output.mux([unsigned_packet(packet) for packet in stream.encode(None)])
        publish(draft, out)


def _upright(frames: Iterator[VideoFrame], plan: ProxyPlan) -> Iterator[VideoFrame]:
    """Yield the frames as they are to be encoded; some recordings change their size midway."""
    form = plan.form
    filters: Filters | None = None
    shape: tuple[int, int, str] | None = None
    for place, frame in enumerate(frames):
        if (frame.width, frame.height, frame.format.name) != shape:
            if filters is not None:
                yield from filters.through(None)
            shape = frame.width, frame.height, frame.format.name
            filters = None
            is_sized = (frame.width, frame.height) == (plan.width, plan.height)
            is_limited = int(frame.color_range) != FULL_RANGE
            is_plain = is_sized and is_limited and frame.format.name == PIXEL_FORMAT
            # What is upright and plain is encoded as it is decoded.
            if form.rotation or form.is_interlaced or not is_plain:
                steps = (
                    *((DEINTERLACED,) if form.is_interlaced else ()),
                    *TURNS[form.rotation],
                    f"scale={plan.width}:{plan.height}:flags=bicubic:out_range=tv",
                    "setsar=1",
                    f"format={PIXEL_FORMAT}",
                )
                filters = Filters(steps, frame, plan.rate)
        if filters is None:
            yield frame
        else:
            yield from filters.through(frame, place)
    if filters is not None:
        yield from filters.through(None)


def _join(plan: ProxyPlan, segments: list[Path], draft: Path) -> None:
    """Copy the packets of all segments into one file, with the sound between them."""
    with av.open(str(draft), "w", format="mp4", options=PLAIN_MP4) as output:
        with av.open(str(segments[0])) as opening:
            stream = output.add_stream_from_template(opening.streams.video[0])
        sound = proxy_sound(plan.source, plan.index, output)
        for number, path in enumerate(segments):
            shift_s = Fraction(number * plan.segment_frames) / plan.rate
            with av.open(str(path)) as segment:
                for packet in segment.demux(segment.streams.video[0]):
                    if packet.dts is None or packet.pts is None or packet.time_base is None:
                        continue
                    shift = round(shift_s / packet.time_base)
                    packet.pts, packet.dts = packet.pts + shift, packet.dts + shift
                    packet.stream = stream
                    sound.write_until(Fraction(packet.dts * packet.time_base))
                    output.mux_one(packet)
        sound.write_rest()
