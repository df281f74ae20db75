"""The sound of a proxy: AAC at 48 kHz, mono or stereo, on the clock of its pictures."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Self, cast

import numpy as np
from av.audio.codeccontext import AudioCodecContext
from av.audio.frame import AudioFrame
from av.audio.stream import AudioStream
from av.codec.context import Flags
from av.container import OutputContainer

from annotation.backends.frame_index import FrameIndex
from annotation.backends.quiet_files import QUIET_SOUND
from annotation.backends.sound_samples import Samples, heard_samples, sound_layout

SAMPLE_RATE = 48_000
PACKET_SAMPLES = 1024
BIT_RATES = {"mono": 96_000, "stereo": 160_000}


@dataclass(slots=True)
class ProxySound:
    """Writes the sound of a recording into an open file, as far as asked; nothing without sound."""

    output: OutputContainer
    stream: AudioStream | None
    frames: Iterator[AudioFrame]
    written_s: Fraction = field(default_factory=Fraction)

    @classmethod
    def of(cls, source: Path, index: FrameIndex, output: OutputContainer) -> Self:
        """Add a sound stream to the file if the recording has sound."""
        layout = sound_layout(source)
        if not layout:
            return cls(output, None, iter(()))
        stream = output.add_stream("aac", rate=SAMPLE_RATE)
        context = cast(AudioCodecContext, stream.codec_context)
        context.layout, context.format = layout, "fltp"
        context.bit_rate = BIT_RATES[layout]
        context.flags |= Flags.global_header | QUIET_SOUND
        blocks = heard_samples(
            source,
            start_s=Fraction(index.first_pts * index.time_base),
            count=max(1, round(index.duration_s * SAMPLE_RATE)),
            sample_rate=SAMPLE_RATE,
            layout=layout,
        )
        return cls(output, stream, _sound_frames(blocks, layout))

    def write_until(self, time_s: Fraction) -> None:
        """Write what is heard until then, so that players find sound and picture side by side."""
        while self.stream is not None and self.written_s <= time_s:
            frame = next(self.frames, None)
            if frame is None:
                return
            self._write(frame)

    def write_rest(self) -> None:
        """Write what is left, and what the encoder holds back."""
        if self.stream is None:
            return
        for frame in self.frames:
            self._write(frame)
        self.output.mux(self.stream.encode(None))

    def _write(self, frame: AudioFrame) -> None:
        assert self.stream is not None  # noqa: S101 - without a stream there are no frames
        self.written_s += Fraction(frame.samples, SAMPLE_RATE)
        self.output.mux(self.stream.encode(frame))


def _sound_frames(blocks: Iterator[Samples], layout: str) -> Iterator[AudioFrame]:
    """Yield the samples in frames of one packet each, timed from 0."""
    place = 0
    rest: Samples | None = None
    for block in blocks:
        joined = block if rest is None else np.concatenate([rest, block], axis=1)
        whole = joined.shape[1] // PACKET_SAMPLES * PACKET_SAMPLES
        for at in range(0, whole, PACKET_SAMPLES):
            yield _sound_frame(joined[:, at : at + PACKET_SAMPLES], layout, place + at)
        place += whole
        rest = joined[:, whole:]
    if rest is not None and rest.shape[1]:
        yield _sound_frame(rest, layout, place)


def _sound_frame(samples: Samples, layout: str, place: int) -> AudioFrame:
    frame = AudioFrame.from_ndarray(np.ascontiguousarray(samples), "fltp", layout)
    frame.sample_rate = SAMPLE_RATE
    frame.pts, frame.time_base = place, Fraction(1, SAMPLE_RATE)
    return frame
