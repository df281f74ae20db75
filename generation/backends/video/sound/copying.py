"""Write the sound of a recording with edits: its packets are copied, and only spans are encoded."""

from collections.abc import Iterator, Sequence
from fractions import Fraction

from av.audio.stream import AudioStream
from av.container import OutputContainer
from av.packet import Packet

from annotation.backends.media.aac import AAC_PACKET_SAMPLES, SoundForm
from annotation.backends.media.facts import Media, SoundTrack
from generation.backends.video.sound.packets import LOWEST_BIT_RATE, span_packets
from generation.backends.video.sound.plan import SoundPart, SoundSpan


class CopiedSound:
    """Takes the recording's packets of sound in their order, and writes those of the new file.

    `begin` is the sample of the recording's clock at which the new file's clock is at 0.
    """

    def __init__(
        self,
        output: OutputContainer,
        recorded: AudioStream,
        media: Media,
        sound: SoundTrack,
        parts: Sequence[SoundPart],
        spans: Sequence[SoundSpan],
        *,
        begin: int = 0,
    ) -> None:
        self._output = output
        self._stream = output.add_stream_from_template(recorded)
        self._media = media
        self._sound = sound
        self._parts = parts
        self._spans = list(spans)
        self._begin = begin
        self._index = self._resumes = self._shift = 0
        self._written_until = 0

    @property
    def written_s(self) -> Fraction:
        """The seconds of the new file until which it has sound."""
        return Fraction(self._written_until, self._sound.sample_rate)

    def write(self, packet: Packet) -> None:
        """Write what comes before the recording's next packet, and the packet if it stays."""
        if self._spans:
            self._open_spans(self._index)
        if self._index >= self._resumes:
            self._put(packet, (packet.pts or 0) + self._shift)
        self._index += 1

    def write_rest(self) -> None:
        """Write the spans at the very end, which follow the last packet."""
        self._open_spans(len(self._sound.packet_pts))

    def _open_spans(self, index: int) -> None:
        while self._spans and self._spans[0].first <= index:
            span = self._spans.pop(0)
            bit_rate = max(self._sound.bit_rate, LOWEST_BIT_RATE)
            form = SoundForm(self._sound.sample_rate, self._sound.layout, bit_rate)
            for position, data in span_packets(span, self._parts, self._media, form):
                packet = Packet(data)
                packet.duration = AAC_PACKET_SAMPLES
                packet.time_base = Fraction(1, self._sound.sample_rate)
                packet.is_keyframe = True
                self._put(packet, position)
            self._shift = span.shift
            self._resumes = span.last

    def _put(self, packet: Packet, position: int) -> None:
        packet.pts = packet.dts = position - self._begin
        packet.stream = self._stream
        self._written_until = position - self._begin + AAC_PACKET_SAMPLES
        self._output.mux_one(packet)


class PulledSound:
    """Copies sound piece by piece beside pictures that are encoded."""

    def __init__(self, sound: CopiedSound, packets: Iterator[Packet]) -> None:
        self._sound = sound
        self._packets = packets

    def write_until(self, time_s: Fraction) -> None:
        """Write what is heard until then."""
        while self._sound.written_s <= time_s and self._write_next():
            pass

    def write_rest(self) -> None:
        while self._write_next():
            pass
        self._sound.write_rest()

    def _write_next(self) -> bool:
        packet = next(self._packets, None)
        # The last one only says that the file ends.
        if packet is None or packet.dts is None:
            return False
        self._sound.write(packet)
        return True
