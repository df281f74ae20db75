"""Copy what a browser plays out of a recording into a file that does not say where it comes from.

Picture and sound are taken over packet by packet; nothing is encoded anew. Tags, chapters, other
tracks (a camera's position, subtitles, covers), names of tracks and what encoders sign themselves
with stay behind. What a muxer adds is the same for all files: brands, order of boxes, clock, and
a size in whole steps. What is inherent in picture and sound stays: codec, size, rate, key frames.
"""

from collections.abc import Callable, Iterator
from pathlib import Path

import av
import numpy as np
from av import Packet
from av.container import InputContainer
from av.stream import Stream

from annotation.backends.media.container import opened, picture_stream, sound_stream
from annotation.backends.media.exceptions import VideoError
from annotation.backends.media.frame_index import FrameIndex, read_frame_index
from annotation.backends.media.h264 import AvcRecord
from annotation.backends.media.quiet_files import (
    PLAIN_MP4,
    QUIET,
    fill_up,
    unsigned_sample,
    unsigned_sound,
    with_data,
)
from annotation.backends.publishing import draft_of, publish

MP4, WEBM = "mp4", "webm"
# Contents in front, as in MP4.
PLAIN_WEBM = {**QUIET, "cues_to_front": "1"}
# A tick of the coarsest clock, that of WebM.
MOST_SHIFT_S = 0.001


class CopyError(ValueError):
    """The recording cannot be copied so that it shows the same; the message says why."""


def copy_kind(container: str) -> str:
    """The kind of file that a copy is, by the name of the recording's container in the probe."""
    return WEBM if "webm" in container.split(",") else MP4


def write_clean_copy(
    source: Path, index: FrameIndex, kind: str, out: Path, beat: Callable[[], None]
) -> None:
    """Write the copy of a recording whose frames are those of `index` to `out`.

    `beat` is called once per packet. Raises `CopyError` where the copy would not show every frame
    when the recording does.
    """
    with draft_of(out) as draft:
        try:
            _copy(source, kind, draft, beat)
        except (av.FFmpegError, ValueError) as error:
            raise CopyError("its packets do not go into another file") from error
        try:
            written = read_frame_index(draft)
        except VideoError as error:
            raise CopyError(f"the copy {error}") from error
        is_same = written.frame_count == index.frame_count and np.allclose(
            written.times_s, index.times_s, rtol=0, atol=MOST_SHIFT_S
        )
        start_s, shown_s = (float(item.first_pts * item.time_base) for item in (index, written))
        if not is_same or abs(start_s - shown_s) > MOST_SHIFT_S:
            raise CopyError("a copy would show its frames at other times")
        fill_up(draft)
        publish(draft, out)


def _copy(source: Path, kind: str, draft: Path, beat: Callable[[], None]) -> None:
    options = PLAIN_MP4 if kind == MP4 else PLAIN_WEBM
    with (
        opened(source) as container,
        av.open(str(draft), "w", format=kind, options=options) as output,
    ):
        picture, sound = picture_stream(container), sound_stream(container)
        streams: list[Stream] = [picture]
        if sound is not None:
            streams.append(sound)
        copies = {
            item.index: output.add_stream_from_template(item, opaque=True) for item in streams
        }
        for packet in _unsigned_packets(container, streams):
            packet.stream = copies[packet.stream_index]
            output.mux_one(packet)
            beat()


def _unsigned_packets(container: InputContainer, streams: list[Stream]) -> Iterator[Packet]:
    record = streams[0].codec_context.extradata or b""
    is_h264 = streams[0].codec_context.name == "h264" and record[:1] == b"\x01"
    length_size = AvcRecord.parse(record).length_size if is_h264 else 0
    for packet in container.demux(streams):
        if packet.dts is None:
            continue
        if packet.stream_index != streams[0].index:
            yield with_data(packet, unsigned_sound(bytes(packet)))
        elif length_size:
            yield with_data(packet, unsigned_sample(bytes(packet), length_size))
        else:
            yield packet
