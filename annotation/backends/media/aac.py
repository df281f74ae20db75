"""AAC: the description of a sound track, and samples as frames for an encoder."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain
from typing import cast

import av
import numpy as np
import numpy.typing as npt
from av.audio.codeccontext import AudioCodecContext
from av.audio.frame import AudioFrame
from av.codec.context import CodecContext, Flags
from av.container import OutputContainer

from annotation.backends.media.quiet_files import QUIET_SOUND

# (channels, samples) float32, -1 to 1.
Samples = npt.NDArray[np.float32]

AAC_PACKET_SAMPLES = 1024
_AAC_RATES = (96000, 88200, 64000, 48000, 44100, 32000, 24000, 22050, 16000, 12000, 11025, 8000)


def aac_config(sample_rate: int, layout: str) -> bytes:
    """The first two bytes that describe AAC-LC, empty where it has none for the format.

    Source: ISO/IEC 14496-3, section 1.6.2.1: 5 bits object type (2), 4 bits rate, 4 bits channels.
    """
    channels = {"mono": 1, "stereo": 2}.get(layout, 0)
    if not channels or sample_rate not in _AAC_RATES:
        return b""
    return ((2 << 11) | (_AAC_RATES.index(sample_rate) << 7) | (channels << 3)).to_bytes(2, "big")


@dataclass(frozen=True, slots=True)
class SoundForm:
    """The form that samples are converted to; the bit rate matters only where they are encoded."""

    sample_rate: int
    layout: str
    bit_rate: int = 0

    @property
    def channel_count(self) -> int:
        return av.AudioLayout(self.layout).nb_channels


def configure_sound(codec_context: CodecContext, form: SoundForm) -> AudioCodecContext:
    """Give an AAC encoder its form, and return it."""
    context = cast(AudioCodecContext, codec_context)
    context.sample_rate, context.layout = form.sample_rate, form.layout
    context.format = "fltp"
    context.bit_rate = form.bit_rate
    context.time_base = Fraction(1, form.sample_rate)
    context.flags |= Flags.global_header | QUIET_SOUND
    return context


def sound_frames(
    blocks: Iterable[Samples], form: SoundForm, *, is_last_filled: bool = True
) -> Iterator[AudioFrame]:
    """Yield the samples in frames of one packet each, timed from 0.

    The last one is filled up with silence, or is as short as what is left.
    """
    rest = np.zeros((form.channel_count, 0), np.float32)
    position = 0

    def made(samples: Samples) -> AudioFrame:
        frame = AudioFrame.from_ndarray(np.ascontiguousarray(samples), "fltp", form.layout)
        frame.sample_rate = form.sample_rate
        frame.pts, frame.time_base = position, Fraction(1, form.sample_rate)
        return frame

    for block in blocks:
        rest = np.concatenate([rest, block], axis=1)
        while rest.shape[1] >= AAC_PACKET_SAMPLES:
            yield made(rest[:, :AAC_PACKET_SAMPLES])
            rest = rest[:, AAC_PACKET_SAMPLES:]
            position += AAC_PACKET_SAMPLES
    if rest.shape[1]:
        missing = AAC_PACKET_SAMPLES - rest.shape[1] if is_last_filled else 0
        yield made(np.pad(rest, ((0, 0), (0, missing))))


class SoundWriter:
    """Writes sound into an open file piece by piece; writes nothing where `form` is None."""

    def __init__(
        self,
        output: OutputContainer,
        form: SoundForm | None,
        frames: Iterable[AudioFrame] = (),
    ) -> None:
        self._output, self._frames, self._stream = output, iter(frames), None
        self._written_s = Fraction(0)
        if form is not None:
            self._stream = output.add_stream("aac", rate=form.sample_rate)
            configure_sound(self._stream.codec_context, form)

    def write_until(self, time_s: Fraction) -> None:
        """Write what is heard until then, so that players find sound and picture side by side."""
        while self._stream is not None and self._written_s <= time_s:
            frame = next(self._frames, None)
            if frame is None:
                return
            self._written_s += Fraction(frame.samples, frame.sample_rate)
            self._output.mux(self._stream.encode(frame))

    def write_rest(self) -> None:
        """Write what is left, and what the encoder holds back."""
        if self._stream is None:
            return
        for frame in chain(self._frames, (None,)):
            self._output.mux(self._stream.encode(frame))
