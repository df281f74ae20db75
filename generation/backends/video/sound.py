"""Samples of recordings and clips, and AAC packets made of them."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import cast

import av
import numpy as np
import numpy.typing as npt
from av.audio.codeccontext import AudioCodecContext
from av.audio.frame import AudioFrame
from av.audio.resampler import AudioResampler
from av.codec.context import Flags
from av.container import InputContainer

from annotation.backends.quiet_files import QUIET_SOUND
from generation.backends.video.media import (
    AAC_PACKET_SAMPLES,
    Media,
    Sound,
    opened,
    sound_stream,
)
from generation.backends.video.sound_plan import PRE_ROLL_PACKETS, SoundPart, SoundSpan

# (channels, samples) float32, -1 to 1.
Samples = npt.NDArray[np.float32]

LOWEST_BIT_RATE = 96_000
# Decoding starts this much early, so that the decoder's filters have settled.
SETTLING_S = Fraction(1, 5)
_BLOCK_SAMPLES = 64 * AAC_PACKET_SAMPLES


@dataclass(frozen=True, slots=True)
class SoundForm:
    """What new sound is made in; `config` is what the encoder says about it."""

    sample_rate: int
    layout: str
    bit_rate: int

    @classmethod
    def of(cls, sound: Sound) -> "SoundForm":
        return cls(sound.sample_rate, sound.layout, max(sound.bit_rate, LOWEST_BIT_RATE))

    @property
    def channel_count(self) -> int:
        return av.AudioLayout(self.layout).nb_channels


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
    given = 0
    for block in _decoded(container, form, start, count):
        yield block
        given += block.shape[1]
    while given < count:
        size = min(_BLOCK_SAMPLES, count - given)
        yield np.zeros((form.channel_count, size), np.float32)
        given += size


def _decoded(
    container: InputContainer, form: SoundForm, start: Fraction, count: int
) -> Iterator[Samples]:
    """Yield the samples that there are, with silence where the file has gaps."""
    stream = sound_stream(container)
    if stream is None or count <= 0:
        return
    from_s = start - SETTLING_S
    begin_s = (stream.start_time or 0) * (stream.time_base or Fraction(1))
    container.seek(int(max(from_s, begin_s) / (stream.time_base or 1)), stream=stream)
    resampler = AudioResampler(format="fltp", layout=form.layout, rate=form.sample_rate)
    at = 0
    for frame in _readable(container.decode(stream)):
        if frame.pts is None or frame.time_base is None:
            continue
        place = round((frame.pts * frame.time_base - start) * form.sample_rate)
        for part in resampler.resample(frame):
            block = part.to_ndarray().astype(np.float32, copy=False)
            block = _placed(block, place, at, count)
            place += part.samples
            if block.shape[1]:
                yield block
                at += block.shape[1]
        if at >= count:
            return


def _readable(frames: Iterator[AudioFrame]) -> Iterator[AudioFrame]:
    # Damaged sound is silence: a picture that is whole is worth more than none.
    while True:
        try:
            yield next(frames)
        except (StopIteration, av.FFmpegError):
            return


def _placed(block: Samples, place: int, at: int, count: int) -> Samples:
    """Return the part of a block at `place` that comes after the `at` samples already given."""
    # A resampler's first block is a few samples short; that is no gap.
    if at and abs(place - at) <= AAC_PACKET_SAMPLES // 16:
        place = at
    if place < at:
        block = block[:, at - place :]
    elif place > at:
        gap = min(place, count) - at
        block = np.concatenate([np.zeros((block.shape[0], max(0, gap)), np.float32), block], axis=1)
    return block[:, : max(0, count - at)]


def rendered(
    parts: Sequence[SoundPart], media: Media, form: SoundForm, start: int, end: int
) -> Iterator[Samples]:
    """Yield the new sound from sample `start` up to, not including, `end`, silent outside."""
    first, last = parts[0], parts[-1]
    at = start
    for part in parts:
        # Before the first frame and after the last the recording may still be heard.
        part_start = min(part.start, start) if part is first else part.start
        part_end = max(part.end, end) if part is last else part.end
        low, high = max(at, part_start), min(end, part_end)
        if low >= high:
            continue
        if part.clip is None:
            source = Fraction(low - part.shift, form.sample_rate)
            yield from samples_of(media.path, form, source, high - low)
        else:
            offset = part.clip.start + Fraction(low - part.start, form.sample_rate)
            yield from samples_of(part.clip.source.path, form, offset, high - low)
        at = high


def span_packets(
    span: SoundSpan, parts: Sequence[SoundPart], media: Media, form: SoundForm
) -> Iterator[tuple[int, bytes]]:
    """Yield (position in samples, AAC packet) of the packets of a span that are made anew."""
    end = span.start + span.packet_count * AAC_PACKET_SAMPLES
    begin = span.start - PRE_ROLL_PACKETS * AAC_PACKET_SAMPLES

    def blocks() -> Iterator[Samples]:
        yield from rendered(parts, media, form, begin, end)
        following = PRE_ROLL_PACKETS * AAC_PACKET_SAMPLES
        if span.overlap is None:
            yield np.zeros((form.channel_count, following), np.float32)
        else:
            overlap = Fraction(span.overlap, form.sample_rate)
            yield from samples_of(media.path, form, overlap, following)

    for position, packet in encoded_sound(blocks(), form, begin):
        if span.start <= position < end:
            yield position, packet


def encoded_sound(
    blocks: Iterable[Samples], form: SoundForm, begin: int
) -> Iterator[tuple[int, bytes]]:
    """Yield (position, AAC packet); the first sample stands at position `begin`."""
    context = sound_encoder(form)
    for frame in sound_frames(blocks, form):
        yield from _packets_of(context, frame, begin)
    yield from _packets_of(context, None, begin)


def sound_frames(blocks: Iterable[Samples], form: SoundForm) -> Iterator[AudioFrame]:
    """Yield the samples in frames of one packet each, timed from 0."""
    for index, block in enumerate(_packet_blocks(blocks, form.channel_count)):
        frame = AudioFrame.from_ndarray(np.ascontiguousarray(block), "fltp", form.layout)
        frame.sample_rate = form.sample_rate
        frame.pts, frame.time_base = index * AAC_PACKET_SAMPLES, Fraction(1, form.sample_rate)
        yield frame


def sound_encoder(form: SoundForm) -> AudioCodecContext:
    context = cast(AudioCodecContext, av.CodecContext.create("aac", "w"))
    configure_sound(context, form)
    return context


def configure_sound(context: AudioCodecContext, form: SoundForm) -> None:
    context.sample_rate, context.layout = form.sample_rate, form.layout
    context.format = "fltp"
    context.bit_rate = form.bit_rate
    context.time_base = Fraction(1, form.sample_rate)
    context.flags |= Flags.global_header | QUIET_SOUND


def _packets_of(
    context: AudioCodecContext, frame: AudioFrame | None, begin: int
) -> Iterator[tuple[int, bytes]]:
    for packet in context.encode(frame):
        if packet.pts is not None:
            yield begin + packet.pts, bytes(packet)


def _packet_blocks(blocks: Iterable[Samples], channel_count: int) -> Iterator[Samples]:
    """Yield the samples in blocks of one packet, the last filled up with silence."""
    rest = np.zeros((channel_count, 0), np.float32)
    for block in blocks:
        rest = np.concatenate([rest, block], axis=1)
        whole = rest.shape[1] // AAC_PACKET_SAMPLES * AAC_PACKET_SAMPLES
        for at in range(0, whole, AAC_PACKET_SAMPLES):
            yield rest[:, at : at + AAC_PACKET_SAMPLES]
        rest = rest[:, whole:]
    if rest.shape[1]:
        missing = AAC_PACKET_SAMPLES - rest.shape[1]
        yield np.pad(rest, ((0, 0), (0, missing)))
