"""Decoded frames of any file by time, and clips brought to the form of a recording."""

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

import av
from av.filter import Graph
from av.video.frame import VideoFrame

from annotation.backends.media.aac import SoundForm, aac_config
from annotation.backends.media.exceptions import SourceError
from annotation.backends.media.facts import SPLICED_PIXEL_FORMAT, Media, Sound
from annotation.backends.media.frames import timed_frames
from generation.backends.video.edits import Clip
from generation.backends.video.exceptions import ClipError

# What a player forgives at the end of a clip; more means that the file is damaged.
LONGEST_HOLD_S = Fraction(1, 2)
_TURNS = {90: "transpose=clock", 180: "hflip,vflip", 270: "transpose=cclock"}


def at_rate(
    timed: Iterator[tuple[Fraction, VideoFrame]], start: Fraction, rate: Fraction, count: int
) -> Iterator[VideoFrame]:
    """Yield `count` frames at a constant rate: at each moment the one that is shown then.

    The last frame is held for at most `LONGEST_HOLD_S`; raises `ClipError` when that is not enough.
    """
    half = 1 / (2 * rate)
    current = next(timed, None)
    if current is None:
        raise ClipError("the clip has no frame that can be decoded")
    following = next(timed, None)
    for index in range(count):
        at = start + index / rate
        while following is not None and following[0] <= at + half / 2:
            current, following = following, next(timed, None)
        if following is None and at - current[0] > LONGEST_HOLD_S:
            raise ClipError(f"the clip ends after {index} of {count} frames")
        yield current[1]


class Conformer:
    """Brings frames of one file to the form of another: they fill its picture, cropped evenly.

    A recording that players turn keeps its coded orientation, so the clip is turned against it.
    """

    def __init__(self, media: Media, target: Media) -> None:
        self._media = media
        self._target = target
        self._graph: Graph | None = None

    def conformed(self, frames: Iterator[VideoFrame]) -> Iterator[VideoFrame]:
        media, target = self._media, self._target
        is_same = (
            (media.width, media.height, media.rotation, media.sample_aspect)
            == (target.width, target.height, target.rotation, target.sample_aspect)
            and media.pixel_format == SPLICED_PIXEL_FORMAT
            and not self._is_interlaced()
        )
        if is_same:
            yield from frames
            return
        for index, frame in enumerate(frames):
            # The same frame may come several times; the graph wants rising times.
            frame.pts, frame.time_base = index, 1 / target.frame_rate
            graph = self._graph = self._graph or self._made_for(frame)
            graph.vpush(frame)
            yield from self._pulled(graph)
        if self._graph is not None:
            self._graph.vpush(None)
            yield from self._pulled(self._graph)

    def _is_interlaced(self) -> bool:
        return any("interlaced" in obstacle for obstacle in self._media.obstacles)

    def _pulled(self, graph: Graph) -> Iterator[VideoFrame]:
        while True:
            try:
                yield graph.vpull()
            except (av.error.BlockingIOError, av.error.EOFError):
                return

    def _made_for(self, frame: VideoFrame) -> Graph:
        target = self._target
        steps = ["bwdif=mode=send_frame:deint=interlaced"] if self._is_interlaced() else []
        steps += [_TURNS[self._media.rotation]] if self._media.rotation else []
        steps.append(self._crop(frame))
        # Turned against the player's turn, the picture has the coded size.
        is_on_side = target.rotation in {90, 270}
        size = (target.height, target.width) if is_on_side else (target.width, target.height)
        steps.append(f"scale={size[0]}:{size[1]}:flags=bicubic")
        steps += [_TURNS[360 - target.rotation]] if target.rotation else []
        steps.append(f"format={SPLICED_PIXEL_FORMAT}")
        graph = Graph()
        nodes = [
            graph.add_buffer(
                width=frame.width,
                height=frame.height,
                format=frame.format,
                time_base=Fraction(frame.time_base or 1),
            )
        ]
        for step in ",".join(steps).split(","):
            name, _, options = step.partition("=")
            nodes.append(graph.add(name, options or None))
        nodes.append(graph.add("buffersink"))
        graph.link_nodes(*nodes).configure()
        return graph

    def _crop(self, frame: VideoFrame) -> str:
        """Return the filter that cuts the frame, once upright, to the shape of the target."""
        media, target = self._media, self._target
        width, height = frame.width, frame.height
        aspect = media.sample_aspect
        if media.rotation in {90, 270}:
            width, height, aspect = height, width, 1 / aspect
        shape = Fraction(target.width, target.height) * target.sample_aspect
        if target.rotation in {90, 270}:
            shape = 1 / shape
        # The shape is that of the shown picture; pixels may be oblong.
        wanted_width = min(Fraction(width), height * shape / aspect)
        wanted_height = min(Fraction(height), width * aspect / shape)
        crop_width = max(2, 2 * round(wanted_width / 2))
        crop_height = max(2, 2 * round(wanted_height / 2))
        return f"crop={min(crop_width, width)}:{min(crop_height, height)}"


BROWSER_SAMPLE_RATE = 48_000


BROWSER_BIT_RATE = 160_000


DEEPEST_REORDERING = 2


def browser_form(media: Media) -> Media:
    """Return what the recording becomes: upright, of even size, at a constant rate from 0."""
    width, height = media.width, media.height
    aspect = media.sample_aspect
    if media.rotation in {90, 270}:
        width, height, aspect = height, width, 1 / aspect
    return replace(
        media,
        width=max(2, width // 2 * 2),
        height=max(2, height // 2 * 2),
        sample_aspect=aspect,
        pixel_format=SPLICED_PIXEL_FORMAT,
        time_base=1 / media.frame_rate,
        step=1,
        first_pts=0,
        lead=DEEPEST_REORDERING,
        rotation=0,
    )


def sound_form(sound: Sound | None) -> SoundForm | None:
    """Return the form of new sound: the recording's where AAC-LC has it, else stereo at 48 kHz."""
    if sound is None:
        return None
    if sound.sample_rate <= BROWSER_SAMPLE_RATE and aac_config(sound.sample_rate, sound.layout):
        return SoundForm(sound.sample_rate, sound.layout, BROWSER_BIT_RATE)
    return SoundForm(BROWSER_SAMPLE_RATE, "stereo", BROWSER_BIT_RATE)


def source_frames(media: Media, target: Media, first: int, last: int) -> Iterator[VideoFrame]:
    """Yield frames of any recording on its grid, in the form of the target.

    Raises `SourceError` when they cannot be decoded.
    """
    if first >= last:
        return
    start = media.time_of(first)
    frames = at_rate(timed_frames(media, start), start, media.frame_rate, last - first)
    try:
        yield from Conformer(media, target).conformed(frames)
    except ClipError as error:
        raise SourceError(f"{media.path.name}, from frame {first} on: {error}") from error
    except av.FFmpegError as error:
        raise SourceError(f"{media.path.name} is damaged ({error})") from error


def clip_frames(clip: Clip, target: Media) -> Iterator[VideoFrame]:
    """Yield the frames of a clip in the size, shape and rate of the recording."""
    timed = timed_frames(clip.media, clip.start)
    try:
        frames = at_rate(timed, clip.start, target.frame_rate, clip.frame_count)
        yield from Conformer(clip.media, target).conformed(frames)
    except av.FFmpegError as error:
        raise ClipError(f"the clip {clip.source.path.name} is damaged ({error})") from error
    except ClipError as error:
        raise ClipError(f"{clip.source.path.name}: {error}") from error
