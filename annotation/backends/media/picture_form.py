"""How decoded pictures have to be treated to be shown, and FFmpeg's filters that do it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

import av
from av.filter import Graph
from av.video.frame import VideoFrame

from annotation.backends.media.container import opened_video, picture_stream
from annotation.backends.media.exceptions import VideoError

if TYPE_CHECKING:
    # A splice is a program of less than a second, and loading Pillow would be a thirtieth of it.
    from PIL import Image

SIDEWAYS = frozenset({90, 270})
# By degrees clockwise.
TURNS: dict[int, tuple[str, ...]] = {
    0: (),
    90: ("transpose=clock",),
    180: ("hflip", "vflip"),
    270: ("transpose=cclock",),
}
DEINTERLACED = "bwdif=mode=send_frame:deint=interlaced"


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
    def shown_size(self) -> tuple[int, int]:
        """Width and height of the upright picture with square pixels."""
        width, height = round(self.width * self.sample_aspect), self.height
        return (height, width) if self.rotation in SIDEWAYS else (width, height)


def picture_form(path: Path) -> PictureForm:
    """The form of a file's first picture; raises `VideoError` when none can be decoded."""
    with opened_video(path) as container:
        stream = picture_stream(container)
        for packet in container.demux(stream):
            try:
                frames = packet.decode()
            except av.FFmpegError:
                # A recording may begin with what is damaged: the first whole picture counts.
                continue
            for frame in frames:
                if frame.pts is None or frame.is_corrupt:
                    continue
                context = stream.codec_context
                aspect = Fraction(stream.sample_aspect_ratio or 0)
                # Some files state an aspect of 0:1, or one that makes a stripe of the picture.
                aspect = aspect if Fraction(1, 4) <= aspect <= 4 else Fraction(1)
                colours = (context.colorspace, context.color_primaries, context.color_trc)
                return PictureForm(
                    width=frame.width,
                    height=frame.height,
                    rotation=clockwise_turn(frame),
                    sample_aspect=aspect,
                    is_interlaced=frame.interlaced_frame,
                    colours=(int(colours[0]), int(colours[1]), int(colours[2])),
                )
    raise VideoError("holds no picture that can be decoded")


def clockwise_turn(frame: VideoFrame) -> int:
    """How many degrees a player turns the picture; only a decoded frame says so."""
    return -round(frame.rotation / 90) * 90 % 360


def upright(frame: VideoFrame, turn: int, size: tuple[int, int] | None = None) -> "Image.Image":
    """The picture turned so many degrees clockwise, stretched to `size` (as shown) where given."""
    if size is not None:
        width, height = size[::-1] if turn in SIDEWAYS else size
        frame = frame.reformat(width=width, height=height, format="rgb24")
    image = frame.to_image()
    # Pillow turns against the clock.
    return image.rotate(-turn, expand=True) if turn else image


class Filters:
    """FFmpeg's filters, each as `name=options`, for frames of one size."""

    def __init__(self, steps: Sequence[str], frame: VideoFrame, frame_rate: Fraction) -> None:
        self._time_base = 1 / frame_rate
        self._graph = Graph()
        source = self._graph.add_buffer(
            width=frame.width,
            height=frame.height,
            format=frame.format,
            time_base=self._time_base,
        )
        named = [step.partition("=") for step in steps]
        filters = [self._graph.add(name, options or None) for name, _, options in named]
        self._graph.link_nodes(source, *filters, self._graph.add("buffersink")).configure()

    def through(self, frame: VideoFrame | None, index: int = 0) -> Iterator[VideoFrame]:
        """Yield what comes out when a frame goes in, or is left at the end (None).

        The same frame may come several times; the graph wants rising times, so `index` counts.
        """
        if frame is not None:
            frame.pts, frame.time_base = index, self._time_base
        self._graph.vpush(frame)
        while True:
            try:
                yield self._graph.vpull()
            except (av.error.BlockingIOError, av.error.EOFError):
                return
