"""Compare a written file with its sources packet by packet, without decoding anything.

The same bytes in the same order after the same instant refresh, with the same parameter sets, give
the same pictures, so copied packets are compared and not decoded.
"""

from collections import deque
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

from av.container import InputContainer
from av.packet import Packet

from annotation.backends.media.container import (
    opened,
    opened_pictures,
    picture_stream,
    sound_stream,
)
from annotation.backends.media.facts import Media
from generation.backends.video.checking.expected import CopiedClip, Expected, FileCheck
from generation.backends.video.timed_check import TimedCheck


def packet_checks(
    path: Path, written: Media, expected: Expected, timed_check: TimedCheck
) -> Iterator[FileCheck]:
    yield from _PacketChecks(written, expected).checks(path, timed_check)
    if expected.is_copied:
        # Copied packets need the parameter sets with which they were encoded.
        sources = {
            item.path: item for item in (expected.source, *(x.media for x in expected.clips))
        }
        kept_count = 0
        record = written.record
        for source in sources.values():
            theirs = source.record
            if record is not None and theirs is not None:
                kept_count += (
                    set(theirs.sequence_sets) <= set(record.sequence_sets)
                    and set(theirs.picture_sets) <= set(record.picture_sets)
                    and theirs.is_apart_from(record)
                )
        seen = f"those of {kept_count} of {len(sources)} sources kept, under numbers of their own"
        yield FileCheck("parameter sets", kept_count == len(sources), seen)


class _Tally:
    """Counts how many packets are identical to their originals."""

    def __init__(self) -> None:
        self.same_count = self.other_count = 0

    def add(self, packet: Packet, place: int, original: tuple[int, Packet] | None) -> None:
        """Compare a packet with the one that must be at its place."""
        is_same = (
            original is not None and place == original[0] and bytes(packet) == bytes(original[1])
        )
        self.same_count += is_same
        self.other_count += not is_same

    def check(self, name: str, wanted_count: int) -> FileCheck:
        is_passed = self.same_count == wanted_count and not self.other_count
        return FileCheck(name, is_passed, f"{self.same_count} of {wanted_count} identical")


class _PacketChecks:
    """Goes once through the packets of the written file and those of its sources in parallel."""

    def __init__(self, written: Media, expected: Expected) -> None:
        self.expected = expected
        self.written = written
        # One byte per frame, since recordings may last for hours.
        self.is_new = bytearray(expected.frame_count)
        for first, count in expected.new_ranges:
            self.is_new[first : first + count] = b"\x01" * count
        self.is_clip = bytearray(expected.frame_count)
        for clip in expected.clips:
            self.is_clip[clip.first : clip.last] = b"\x01" * clip.media.frame_count
        self.seen = bytearray(expected.frame_count)
        self.picture_count = self.sound_count = self.disordered_count = 0
        self.copies, self.clip_copies, self.sound_copies = _Tally(), _Tally(), _Tally()
        self._sound_offset: int | None = None
        self._new_sound = deque(_new_sound(expected))

    def checks(self, path: Path, timed_check: TimedCheck) -> Iterator[FileCheck]:
        expected = self.expected
        last: dict[int, int] = {}
        with opened(path) as container, opened(expected.source.path) as source:
            pictures, sound = picture_stream(container), sound_stream(container)
            originals = None
            if expected.is_copied or expected.is_sound_copied:
                originals = _Originals(expected, source, self.is_new)
            streams = [item for item in (pictures, sound) if item]
            for packet in timed_check.over(container.demux(streams)):
                if packet.dts is None:
                    continue
                self.disordered_count += packet.dts <= last.get(packet.stream_index, packet.dts - 1)
                last[packet.stream_index] = packet.dts
                if packet.stream is pictures:
                    self._see_picture(packet, originals)
                else:
                    self._see_sound(packet, originals)
        wanted = expected.frame_count
        is_all = self.picture_count == wanted
        yield FileCheck("frame count", is_all, f"{self.picture_count} frames, {wanted} expected")
        missing_count = self.seen.count(0)
        yield FileCheck(
            "time stamps",
            self.disordered_count == 0 and missing_count == 0,
            f"{self.disordered_count} out of order, {missing_count} frames without a time",
        )
        if expected.is_copied:
            yield self.copies.check("untouched frames", wanted - sum(self.is_new))
        if expected.clips:
            yield self.clip_copies.check("copied clips", sum(self.is_clip))
        if expected.is_sound_copied and expected.source.sound is not None:
            remade = sum(span.last - span.first for span in expected.sound_spans)
            wanted = len(expected.source.sound.packet_pts) - remade
            yield self.sound_copies.check("untouched sound", wanted)

    def _see_picture(self, packet: Packet, originals: "_Originals | None") -> None:
        """Compare the packet if it is a copy, and mark which frame it is."""
        decoded_index = self.picture_count
        self.picture_count += 1
        place, rest = divmod((packet.pts or 0) - self.written.first_pts, self.written.step)
        if rest or not 0 <= place < len(self.seen) or self.seen[place]:
            self.disordered_count += 1
            place = -1
        else:
            self.seen[place] = 1
        if originals is None or decoded_index >= len(self.is_new):
            return
        if not self.is_new[decoded_index]:
            self.copies.add(packet, place, originals.next_of(originals.pictures))
        elif self.is_clip[decoded_index]:
            self.clip_copies.add(packet, place, next(originals.clips, None))

    def _see_sound(self, packet: Packet, originals: "_Originals | None") -> None:
        index = self.sound_count
        self.sound_count += 1
        # Ranges are in order, so drop those that have passed.
        while self._new_sound and index >= self._new_sound[0][1]:
            self._new_sound.popleft()
        is_new = bool(self._new_sound) and index >= self._new_sound[0][0]
        if originals is None or is_new:
            return
        original = originals.next_of(originals.sound)
        if original is not None and self._sound_offset is None:
            # The file's clock may start elsewhere, so only require the same offset for all packets.
            self._sound_offset = (packet.pts or 0) - original[0]
        place = (packet.pts or 0) - (self._sound_offset or 0)
        self.sound_copies.add(packet, place, original)


class _Originals:
    """The packets that must have been copied, each with its place in the new file."""

    def __init__(self, expected: Expected, source: InputContainer, is_new: bytearray) -> None:
        self._source = expected.source
        self._is_new = is_new
        self._kept = deque(expected.kept)
        self._spans = deque(expected.sound_spans)
        self._stream = picture_stream(source)
        streams = [
            item
            for item, is_copied in (
                (self._stream, expected.is_copied),
                (sound_stream(source), expected.is_sound_copied),
            )
            if item and is_copied
        ]
        self._packets = source.demux(streams)
        self._picture_index = self._sound_index = 0
        self._sound_shift = self._sound_resumes = 0
        # Both streams are interleaved, so packets of one are queued while reading the other.
        self.pictures: deque[tuple[int, Packet]] = deque()
        self.sound: deque[tuple[int, Packet]] = deque()
        self.clips = chain.from_iterable(_clip_packets(clip) for clip in expected.clips)

    def next_of(self, waiting: deque[tuple[int, Packet]]) -> tuple[int, Packet] | None:
        """The next of `pictures` or of `sound`."""
        while not waiting:
            packet = next(self._packets, None)
            if packet is None:
                return None
            if packet.dts is None:
                continue
            if packet.stream is self._stream:
                decoded_index = self._picture_index
                self._picture_index += 1
                kept = self._kept
                while kept and decoded_index >= kept[0].source_first + kept[0].count:
                    kept.popleft()
                if kept and decoded_index >= kept[0].source_first:
                    shift = kept[0].shift
                    if not self._is_new[decoded_index + shift]:
                        place = ((packet.pts or 0) - self._source.first_pts) // self._source.step
                        self.pictures.append((place + shift, packet))
            else:
                index = self._sound_index
                self._sound_index += 1
                while self._spans and self._spans[0].first <= index:
                    span = self._spans.popleft()
                    self._sound_shift, self._sound_resumes = span.shift, span.last
                if index >= self._sound_resumes:
                    self.sound.append(((packet.pts or 0) + self._sound_shift, packet))
        return waiting.popleft()


def _clip_packets(clip: CopiedClip) -> Iterator[tuple[int, Packet]]:
    media = clip.media
    with opened_pictures(media.path) as (container, stream):
        for packet in container.demux(stream):
            if packet.pts is not None:
                yield clip.first + (packet.pts - media.first_pts) // media.step, packet


def _new_sound(expected: Expected) -> Iterator[tuple[int, int]]:
    """Yield (first, last) of the written file's packets of sound that were encoded."""
    growth = 0
    for span in expected.sound_spans:
        first = span.first + growth
        yield first, first + span.packet_count
        growth += span.packet_count - (span.last - span.first)
