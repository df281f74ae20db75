"""The sound of a recording as samples, silent wherever there is none or it is damaged."""

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
from av.audio.frame import AudioFrame
from av.audio.resampler import AudioResampler
from av.audio.stream import AudioStream
from av.container import InputContainer

from annotation.backends.media.aac import AAC_PACKET_SAMPLES, Samples, SoundForm
from annotation.backends.media.container import opened, opened_video, sound_stream

# Decoding starts this much early, so that the decoder's filters have settled.
SETTLING_S = Fraction(1, 5)
BLOCK_SAMPLES = 64 * AAC_PACKET_SAMPLES
# A resampler's first block is a few samples short, and containers round: that is no gap.
FORGIVEN_SAMPLES = 64


def heard_samples(path: Path, form: SoundForm, start: Fraction, count: int) -> Iterator[Samples]:
    """Yield exactly `count` samples from `start`, on the file's own clock, in blocks.

    It is decoded from its beginning on. Nothing comes of a file without sound.
    """
    with opened_video(path) as container:
        stream = sound_stream(container)
        if stream is not None:
            yield from _placed(container, stream, form, start, count)


def sound_layout(path: Path) -> str:
    """Return "mono", "stereo" (also for more channels), or "" where there is no sound."""
    with opened_video(path) as container:
        stream = sound_stream(container)
        if stream is None:
            return ""
        return "mono" if stream.codec_context.layout.nb_channels == 1 else "stereo"


def samples_of(path: Path, form: SoundForm, start: Fraction, count: int) -> Iterator[Samples]:
    """Yield exactly `count` samples from `start` (seconds on the file's clock) on, in blocks.

    Where the file has no sound, or none at that time, it is silent.
    """
    with opened(path) as container:
        yield from samples_in(container, form, start, count)


def samples_in(
    container: InputContainer, form: SoundForm, start: Fraction, count: int
) -> Iterator[Samples]:
    """Yield the same as `samples_of`, from a file that is open; one range at a time."""
    stream = sound_stream(container)
    if stream is None:
        yield from _silence(form, count)
        return
    begin_s = (stream.start_time or 0) * (stream.time_base or Fraction(1))
    seconds = max(start - SETTLING_S, begin_s)
    container.seek(int(seconds / (stream.time_base or 1)), stream=stream)
    yield from _placed(container, stream, form, start, count)


def _placed(
    container: InputContainer, stream: AudioStream, form: SoundForm, start: Fraction, count: int
) -> Iterator[Samples]:
    """Yield what is decoded from here on, with silence in its gaps, after it and before it."""
    given = 0
    resampler: AudioResampler | None = None
    decoded_form: tuple[str, str, int] | None = None
    for frame in _decoded(container, stream) if count > 0 else ():
        if frame.pts is None or frame.time_base is None:
            continue
        # The form may change midway.
        if decoded_form != (frame.format.name, frame.layout.name, frame.sample_rate):
            decoded_form = frame.format.name, frame.layout.name, frame.sample_rate
            resampler = AudioResampler(format="fltp", layout=form.layout, rate=form.sample_rate)
        assert resampler is not None  # noqa: S101 - made for the first frame
        place = round((frame.pts * frame.time_base - start) * form.sample_rate)
        for part in resampler.resample(frame):
            block = part.to_ndarray().astype(np.float32, copy=False)
            following = place + part.samples
            if given and abs(place - given) <= FORGIVEN_SAMPLES:
                place = given
            gap = max(0, min(place, count) - given)
            yield from _silence(form, gap)
            given += gap
            block = block[:, max(0, given - place) :][:, : max(0, count - given)]
            if block.shape[1]:
                yield block
                given += block.shape[1]
            place = following
        if given >= count:
            return
    yield from _silence(form, count - given)


def _decoded(container: InputContainer, stream: AudioStream) -> Iterator[AudioFrame]:
    # Damaged sound is silence: a picture that is whole is worth more than none.
    packets = container.demux(stream)
    while True:
        try:
            packet = next(packets)
        except (StopIteration, av.FFmpegError):
            return
        try:
            yield from packet.decode()
        except av.FFmpegError:
            continue


def _silence(form: SoundForm, count: int) -> Iterator[Samples]:
    """Yield so many samples of silence, in blocks; nothing for a count below 1."""
    while count > 0:
        size = min(BLOCK_SAMPLES, count)
        yield np.zeros((form.channel_count, size), np.float32)
        count -= size
