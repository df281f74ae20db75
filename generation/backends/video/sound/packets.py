"""Samples of recordings and clips, and AAC packets made from them."""

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import chain

import av
import numpy as np

from annotation.backends.media.aac import (
    AAC_PACKET_SAMPLES,
    Samples,
    SoundForm,
    configure_sound,
    sound_frames,
)
from annotation.backends.media.facts import Media
from annotation.backends.media.samples import samples_of
from generation.backends.video.sound.plan import PRE_ROLL_PACKETS, SoundPart, SoundSpan

LOWEST_BIT_RATE = 96_000


def rendered(
    parts: Sequence[SoundPart], media: Media, form: SoundForm, start: int, end: int
) -> Iterator[Samples]:
    """Yield the new sound from sample `start` up to, not including, `end`; silent outside."""
    first, last = parts[0], parts[-1]
    at = start
    for part in parts:
        # The recording may have sound before its first frame and after its last.
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
    """Yield (position in samples, AAC packet) of the new packets of a span."""
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
    """Yield (position, AAC packet); the first sample is at position `begin`."""
    context = configure_sound(av.CodecContext.create("aac", "w"), form)
    for frame in chain(sound_frames(blocks, form), (None,)):
        for packet in context.encode(frame):
            if packet.pts is not None:
                yield begin + packet.pts, bytes(packet)
