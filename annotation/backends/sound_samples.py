"""The sound of a recording as samples on a clock that begins with its first frame."""

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import numpy.typing as npt
from av.audio.frame import AudioFrame
from av.audio.resampler import AudioResampler
from av.audio.stream import AudioStream
from av.packet import Packet

from annotation.backends.video_probe import opened_video, sound_streams

# (channels, samples) float32, -1 to 1.
Samples = npt.NDArray[np.float32]

BLOCK_SAMPLES = 65_536
# A resampler's first block is a few samples short, and containers round: that is no gap.
FORGIVEN_SAMPLES = 64


def heard_samples(
    path: Path, *, start_s: Fraction, count: int, sample_rate: int, layout: str
) -> Iterator[Samples]:
    """Yield exactly `count` samples from `start_s`, on the file's own clock, on.

    Where there is no sound, or it is damaged, it is silent. Nothing comes of a file without sound.
    """
    channel_count = av.AudioLayout(layout).nb_channels
    with opened_video(path) as container:
        stream = next(sound_streams(container), None)
        if stream is None:
            return
        given = 0
        frames = _decoded(container.demux(stream))
        for time_s, block in _resampled(frames, sample_rate, layout):
            place = round((time_s - start_s) * sample_rate)
            for part in _placed(block, place, given, count):
                yield part
                given += part.shape[1]
            if given >= count:
                return
        yield from _silence(channel_count, count - given)


def sound_layout(path: Path) -> str:
    """Return "mono", "stereo" (also for more channels), or "" where there is no sound."""
    with opened_video(path) as container:
        stream = next(sound_streams(container), None)
        if stream is None or stream.codec_context is None:
            return ""
        return "mono" if stream.codec_context.layout.nb_channels == 1 else "stereo"


def _decoded(packets: "Iterator[Packet[AudioStream]]") -> Iterator[AudioFrame]:
    # Damaged sound is silence: a picture that is whole is worth more than none.
    while True:
        try:
            packet = next(packets)
        except (StopIteration, av.FFmpegError):
            return
        try:
            yield from packet.decode()
        except av.FFmpegError:
            continue


def _resampled(
    frames: Iterator[AudioFrame], sample_rate: int, layout: str
) -> Iterator[tuple[Fraction, Samples]]:
    """Yield (seconds on the file's clock, samples) in blocks; the form may change midway."""
    resampler: AudioResampler | None = None
    form: tuple[str, str, int] | None = None
    for frame in frames:
        if frame.pts is None or frame.time_base is None:
            continue
        if resampler is None or form != (frame.format.name, frame.layout.name, frame.sample_rate):
            resampler = AudioResampler(format="fltp", layout=layout, rate=sample_rate)
            form = frame.format.name, frame.layout.name, frame.sample_rate
        time_s = Fraction(frame.pts * frame.time_base)
        for part in resampler.resample(frame):
            yield time_s, part.to_ndarray().astype(np.float32, copy=False)
            time_s += Fraction(part.samples, part.sample_rate)


def _placed(block: Samples, place: int, given: int, count: int) -> Iterator[Samples]:
    """Yield what of a block at `place` comes after the `given` samples, with silence before it."""
    if given and abs(place - given) <= FORGIVEN_SAMPLES:
        place = given
    if place < given:
        block = block[:, given - place :]
    elif place > given:
        gap = min(place, count) - given
        yield from _silence(block.shape[0], gap)
        given += gap
    block = block[:, : max(0, count - given)]
    if block.shape[1]:
        yield block


def _silence(channel_count: int, count: int) -> Iterator[Samples]:
    """Yield so many samples of silence, in blocks; nothing for a count below 1."""
    while count > 0:
        size = min(BLOCK_SAMPLES, count)
        yield np.zeros((channel_count, size), np.float32)
        count -= size
