"""Look at what was written before anybody else can: every check says what it saw.

Untouched frames are compared packet by packet with the recording: the same bytes after the same
instant refresh are the same pictures. What was encoded is decoded, together with the first frames
that follow; of these, and of the copied frame before a cut, the pictures are compared by hash. Kept
frames beside a cut that were encoded are compared by their PSNR, which shows a wrong frame.
"""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np
import numpy.typing as npt
from av.container import InputContainer
from av.video.frame import VideoFrame

from generation.backends.video.edits import FrameEdit
from generation.backends.video.exceptions import SourceError
from generation.backends.video.media import Media, opened, picture_stream, read_media, sound_stream
from generation.backends.video.pictures import frames_between
from generation.backends.video.reencoding import browser_form, source_frames
from generation.backends.video.sound_lag import LONGEST_LAG_S, join_lags
from generation.backends.video.watching import Pulse

# (height, width) uint8.
Grey = npt.NDArray[np.uint8]

# A neighbouring frame of the same scene seldom comes nearer than this (dB).
LOWEST_PSNR_DB = 30.0
PEAK = 255.0
# Frames decoded after a stretch that was made anew.
FOLLOWING_FRAMES = 8


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at, whether it is as it must be, and what was seen."""

    name: str
    is_passed: bool
    seen: str


@dataclass(frozen=True, slots=True)
class Verification:
    """All checks of one written file."""

    checks: tuple[Check, ...]

    @property
    def is_passed(self) -> bool:
        return all(check.is_passed for check in self.checks)

    @property
    def failures(self) -> str:
        return "; ".join(f"{item.name}: {item.seen}" for item in self.checks if not item.is_passed)

    def to_dict(self) -> dict[str, Any]:
        return {"is_passed": self.is_passed, "checks": [asdict(check) for check in self.checks]}


@dataclass(frozen=True, slots=True)
class Expected:
    """What a written file must be.

    `new_ranges` are (first, count) of the frames that are not copies; all of them, after a full
    re-encoding. `kept` are (first new frame, first source frame, count) of what stays in sight.
    """

    source: Media
    frame_count: int
    new_ranges: tuple[tuple[int, int], ...]
    kept: tuple[tuple[int, int, int], ...]
    is_copied: bool


def kept_ranges(media: Media, edits: Sequence[FrameEdit]) -> tuple[tuple[int, int, int], ...]:
    """Return (first new frame, first source frame, count) of every stretch between edits."""
    ranges = []
    shown = growth = 0
    for edit in edits:
        ranges.append((shown + growth, shown, edit.first - shown))
        shown, growth = edit.last, growth + edit.growth
    ranges.append((shown + growth, shown, media.frame_count - shown))
    return tuple(item for item in ranges if item[2] > 0)


def verify(path: Path, expected: Expected, pulse: Pulse | None = None) -> Verification:
    """Return what was seen in the written file; never raises for what is wrong with it.

    `pulse` looks whether the file is still wanted.
    """
    checks: list[Check] = []
    try:
        checks.extend(_Verifier(path, expected, pulse or Pulse()).checks())
    except (SourceError, av.FFmpegError) as error:
        checks.append(Check("reading", False, str(error)))
    return Verification(tuple(checks))


def psnr(ours: Grey, original: Grey) -> float:
    """Return the likeness of two pictures in dB, over brightness; infinite when they are equal."""
    if ours.shape != original.shape:
        return 0.0
    error = float(np.mean((ours.astype(np.float32) - original.astype(np.float32)) ** 2))
    return float(10 * np.log10(PEAK**2 / error)) if error else float("inf")


def grey(frame: VideoFrame) -> Grey:
    return frame.reformat(format="gray").to_ndarray().astype(np.uint8, copy=False)


def _digest(frame: VideoFrame) -> bytes:
    return hashlib.blake2b(frame.to_ndarray().data, digest_size=16).digest()


class _Verifier:
    """Looks at one file; `_at_joins` keeps decoded pictures beside cuts until they are compared."""

    def __init__(self, path: Path, expected: Expected, pulse: Pulse) -> None:
        self.path = path
        self.pulse = pulse
        self.expected = expected
        self.written = read_media(path)
        self.source = expected.source
        # One byte per frame: recordings may last for hours.
        self.is_new = bytearray(expected.frame_count)
        for first, count in expected.new_ranges:
            self.is_new[first : first + count] = b"\x01" * count
        # New frame -> source frame, beside every cut.
        self.joins: dict[int, int] = {}
        for first, source, count in expected.kept:
            if first:
                self.joins[first] = source
            if first + count < expected.frame_count:
                self.joins[first + count - 1] = source + count - 1
        self._at_joins: dict[int, Grey] = {}

    def checks(self) -> Iterator[Check]:
        yield from self._check_packets()
        yield from self._check_decoding()
        yield from self._check_joins()
        yield self._check_sound()

    def _check_packets(self) -> Iterator[Check]:
        """Check number, order and grid of the frames, and that copies are the recording's."""
        wanted = self.expected.frame_count
        seen = bytearray(wanted)
        last: dict[int, int] = {}
        disordered_count = decoded_index = 0
        same = {True: 0, False: 0}
        with opened(self.path) as container, opened(self.source.path) as source:
            pictures, sound = picture_stream(container), sound_stream(container)
            originals = self._originals(source) if self.expected.is_copied else iter(())
            streams = [item for item in (pictures, sound) if item]
            for packet in self.pulse.over(container.demux(streams)):
                if packet.dts is None:
                    continue
                disordered_count += packet.dts <= last.get(packet.stream_index, packet.dts - 1)
                last[packet.stream_index] = packet.dts
                if packet.stream is not pictures:
                    continue
                disordered_count += not self._is_new_place(packet, seen)
                is_copy = decoded_index < wanted and not self.is_new[decoded_index]
                if self.expected.is_copied and is_copy:
                    original = next(originals, None)
                    same[original is not None and bytes(packet) == bytes(original)] += 1
                decoded_index += 1
        is_all = decoded_index == wanted
        yield Check("frame count", is_all, f"{decoded_index} frames, {wanted} expected")
        missing_count = seen.count(0)
        yield Check(
            "time stamps",
            disordered_count == 0 and missing_count == 0,
            f"{disordered_count} out of order, {missing_count} frames without a time",
        )
        if self.expected.is_copied:
            wanted -= sum(self.is_new)
            all_same = same[True] == wanted and not same[False]
            yield Check("untouched frames", all_same, f"{same[True]} of {wanted} identical")

    def _is_new_place(self, packet: av.Packet, seen: bytearray) -> bool:
        """Mark the frame's place on the grid; return whether it is one, and was free."""
        index, rest = divmod((packet.pts or 0) - self.written.first_pts, self.written.step)
        if rest or not 0 <= index < len(seen) or seen[index]:
            return False
        seen[index] = 1
        return True

    def _originals(self, source: InputContainer) -> Iterator[av.Packet]:
        """Yield the recording's packets that must have been copied, in decoding order."""
        copied = bytearray(self.source.frame_count)
        for first, source_first, count in self.expected.kept:
            for offset in range(count):
                if not self.is_new[first + offset]:
                    copied[source_first + offset] = 1
        index = 0
        for packet in source.demux(picture_stream(source)):
            if packet.dts is not None:
                if copied[index]:
                    yield packet
                index += 1

    def _check_decoding(self) -> Iterator[Check]:
        """Decode everything that was made, and compare the pictures that follow by hash."""
        decoded_count = wanted_count = same_count = compared_count = 0
        message = ""
        ranges = self.expected.new_ranges
        next_starts = [*(first for first, _ in ranges[1:]), self.expected.frame_count]
        for (first, count), next_start in zip(ranges, next_starts, strict=True):
            following = min(FOLLOWING_FRAMES, next_start - first - count)
            following = following if self.expected.is_copied else 0
            wanted_count += count + following
            try:
                for index, frame in self._decoded(first, count):
                    decoded_count += 1
                    if index in self.joins:
                        self._at_joins[index] = grey(frame)
                same = list(self._compared(first + count, following))
            except SourceError as error:
                message = f" ({error})"
                continue
            decoded_count += len(same)
            compared_count += len(same)
            same_count += sum(same)
        is_whole = decoded_count == wanted_count
        yield Check("decoding", is_whole, f"{decoded_count} of {wanted_count}{message}")
        if self.expected.is_copied:
            seen = f"{same_count} of {compared_count} have the same hash"
            yield Check("pictures after the cuts", same_count == compared_count, seen)

    def _decoded(self, first: int, count: int) -> Iterator[tuple[int, VideoFrame]]:
        frames = frames_between(self.written, first, first + count)
        return enumerate(self.pulse.over(frames), start=first)

    def _compared(self, first: int, count: int) -> Iterator[bool]:
        """Yield, for every frame from `first` on, whether it is the recording's picture."""
        if count <= 0:
            return
        source_first = self._source_frame(first)
        frames = self.pulse.over(frames_between(self.written, first, first + count))
        originals = frames_between(self.source, source_first, source_first + count)
        for frame, original in zip(frames, originals, strict=True):
            yield _digest(frame) == _digest(original)

    def _source_frame(self, new_frame: int) -> int:
        for first, source, count in self.expected.kept:
            if first <= new_frame < first + count:
                return source + new_frame - first
        raise AssertionError(f"frame {new_frame} is none of the recording's")

    def _check_joins(self) -> Iterator[Check]:
        """Compare the kept frames beside every cut with the recording's."""
        values = []
        for new_frame, source_frame in self.pulse.over(self.joins.items()):
            ours = self._at_joins.pop(new_frame, None)
            if ours is None:
                [frame] = frames_between(self.written, new_frame, new_frame + 1)
                ours = grey(frame)
            values.append(psnr(ours, self._original(source_frame)))
        lowest = min(values, default=float("inf"))
        yield Check(
            "pictures at the joins",
            lowest >= LOWEST_PSNR_DB,
            f"lowest PSNR {lowest:.1f} dB of {len(values)}",
        )

    def _original(self, frame: int) -> Grey:
        if self.expected.is_copied:
            [original] = frames_between(self.source, frame, frame + 1)
        else:
            upright = browser_form(self.source)
            [original] = source_frames(self.source, upright, frame, frame + 1)
        return grey(original)

    def _check_sound(self) -> Check:
        if self.source.sound is None:
            return Check("sound", self.written.sound is None, "none, as in the recording")
        rate = self.source.frame_rate
        offset = self.written.time_of(0)
        places = [
            (offset + first / rate, self.source.time_of(source), Fraction(count) / rate)
            for first, source, count in self.expected.kept
        ]
        lags = list(self.pulse.over(join_lags(self.path, self.source.path, places)))
        measured = [abs(lag) for lag in lags if lag is not None]
        largest = max(measured, default=0.0)
        return Check(
            "sound at the joins",
            largest < LONGEST_LAG_S,
            f"largest lag {largest * 1000:.2f} ms at {len(measured)} places,"
            f" {len(lags) - len(measured)} too quiet to tell",
        )
