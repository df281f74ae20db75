"""The sound of a proxy: AAC at 48 kHz, mono or stereo, on the clock of its pictures."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Self

from av.audio.frame import AudioFrame
from av.audio.stream import AudioStream
from av.container import OutputContainer

from annotation.backends.media.aac import SoundForm, configure_sound, sound_frames
from annotation.backends.media.frame_index import FrameIndex
from annotation.backends.media.samples import heard_samples, sound_layout

SAMPLE_RATE = 48_000
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
        form = SoundForm(SAMPLE_RATE, layout, BIT_RATES[layout])
        stream = output.add_stream("aac", rate=SAMPLE_RATE)
        configure_sound(stream.codec_context, form)
        start = Fraction(index.first_pts * index.time_base)
        count = max(1, round(index.duration_s * SAMPLE_RATE))
        blocks = heard_samples(source, form, start, count)
        return cls(output, stream, sound_frames(blocks, form, is_last_filled=False))

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
