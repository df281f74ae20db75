"""Decode the encoded frames, those beside them and a few others, and compare them with originals.

Encoded frames are decoded in one go with the copied frames on both sides: at such a border a
decoder changes its parameter sets, and frames might be lost or come late. Copies after a border are
compared with their originals pixel by pixel; kept frames beside a cut that were encoded are
compared by PSNR, which reveals a wrong frame.
"""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import islice, repeat

import numpy as np
import numpy.typing as npt
from av.video.frame import VideoFrame
from av.video.plane import VideoPlane

from annotation.backends.media.exceptions import SourceError
from annotation.backends.media.facts import Media
from annotation.backends.media.frames import FrameReader, frame_reader, frames_between
from generation.backends.video.checking.expected import Expected, FileCheck, Thoroughness
from generation.backends.video.forms import browser_form, source_frames
from generation.backends.video.timed_check import TimedCheck

# (height, width) uint8.
Grey = npt.NDArray[np.uint8]

# A neighbouring frame of the same scene is seldom more similar than this (dB).
LOWEST_PSNR_DB = 30.0
PEAK = 255.0
# How many copied frames are decoded before a border, and compared after it.
PRECEDING_FRAMES, FOLLOWING_FRAMES = 4, 8
# Differences take four bytes each, so a picture is compared in bands to save memory.
_BAND_ROWS = 64
# How many groups of copied frames elsewhere are compared, and of how many frames.
SPOT_COUNT, SPOT_FRAMES = 3, 4


def picture_checks(
    written: Media, expected: Expected, thoroughness: Thoroughness, timed_check: TimedCheck
) -> list[FileCheck]:
    with ExitStack() as stack:
        reader = stack.enter_context(frame_reader(written))
        source = None
        if expected.is_copied:
            source = stack.enter_context(frame_reader(expected.source))
        checks = _PictureChecks(expected, written.key_frames, reader, source, timed_check)
        return list(checks.checks(thoroughness))


def psnr(picture: Grey, original: Grey) -> float:
    """The similarity of two pictures' brightness in dB; infinite if they are equal."""
    if picture.shape != original.shape:
        return 0.0
    error = 0
    for at in range(0, len(picture), _BAND_ROWS):
        band = slice(at, at + _BAND_ROWS)
        difference = picture[band].astype(np.int32) - original[band]
        error += int(np.sum(difference * difference, dtype=np.int64))
    return float(10 * np.log10(PEAK**2 * picture.size / error)) if error else float("inf")


def grey(frame: VideoFrame) -> Grey:
    return frame.reformat(format="gray").to_ndarray().astype(np.uint8, copy=False)


def is_same_picture(frame: VideoFrame, original: VideoFrame) -> bool:
    """Whether two pictures of one byte per sample are equal, without copying them."""
    forms = [(item.format.name, item.width, item.height) for item in (frame, original)]
    if forms[0] != forms[1]:
        return False
    planes = zip(frame.planes, original.planes, strict=True)
    return all(np.array_equal(_samples(plane), _samples(other)) for plane, other in planes)


def _samples(plane: VideoPlane) -> Grey:
    """The visible samples of a plane, whose lines are padded."""
    lines = np.frombuffer(memoryview(plane), np.uint8).reshape(-1, plane.line_size)
    return lines[: plane.height, : plane.width]


@dataclass(frozen=True, slots=True)
class _Stretch:
    """Frames of the written file that were either all copied or all encoded.

    For a copy, `origin` is the file whose frame `origin_first` is at `first`; None if encoded.
    """

    first: int
    last: int
    origin: Media | None = None
    origin_first: int = 0
    is_compared: bool = False

    def part(self, first: int, last: int, *, is_compared: bool = False) -> "_Stretch":
        """The part between two frames of the written file, which may be empty."""
        first = min(max(first, self.first), self.last)
        last = max(first, min(last, self.last))
        origin_first = self.origin_first + first - self.first
        return _Stretch(first, last, self.origin, origin_first, is_compared)


class _PictureChecks:
    """Counts what it decodes and compares, holding a few frames at a time."""

    def __init__(
        self,
        expected: Expected,
        key_frames: Sequence[int],
        written: FrameReader,
        source: FrameReader | None,
        timed_check: TimedCheck,
    ) -> None:
        self.expected = expected
        self.key_frames = key_frames
        self.timed_check = timed_check
        self.written = written
        self.source = source
        self.stretches = _stretches(expected)
        # By frame beside a cut in the new file: its frame in the recording.
        self.joins = {}
        for kept in expected.kept:
            if kept.first:
                self.joins[kept.first] = kept.source_first
            if kept.last < expected.frame_count:
                self.joins[kept.last - 1] = kept.source_first + kept.count - 1
        self.psnrs: list[float] = []
        self.wanted_count = self.decoded_count = self.compared_count = self.same_count = 0
        self.message = ""

    def checks(self, thoroughness: Thoroughness) -> Iterator[FileCheck]:
        if thoroughness is Thoroughness.FULL:
            runs = [[item.part(item.first, item.last, is_compared=True) for item in self.stretches]]
        else:
            # A few copied frames after random key frames, always the same for the same file.
            spots = [
                item.part(key, key + SPOT_FRAMES, is_compared=True)
                for item in self.stretches
                for key in (self.key_frames if item.origin is not None else ())
                if item.first <= key < item.last
            ]
            rng = np.random.default_rng(self.expected.frame_count)
            drawn = sorted(rng.permutation(len(spots))[:SPOT_COUNT])
            runs = [
                *_watched(self.stretches, self.expected.frame_count),
                *([spots[i]] for i in drawn),
            ]
        for run in runs:
            self._look_at(run)
        is_whole = self.decoded_count == self.wanted_count
        seen = f"{self.decoded_count} of {self.wanted_count}{self.message}"
        yield FileCheck("decoding", is_whole, seen)
        if self.expected.is_copied:
            is_same = self.same_count == self.compared_count
            seen = f"{self.same_count} of {self.compared_count} have the same pixels"
            yield FileCheck("decoded copies", is_same, seen)
        wanted_count = sum(self._is_encoded(index) for index in self.joins)
        lowest = min(self.psnrs, default=float("inf"))
        seen = f"lowest PSNR {lowest:.1f} dB of {len(self.psnrs)}"
        if len(self.joins) > wanted_count:
            seen += f", {len(self.joins) - wanted_count} copied"
        is_passed = lowest >= LOWEST_PSNR_DB and len(self.psnrs) == wanted_count
        yield FileCheck("pictures at the joins", is_passed, seen)

    def _look_at(self, run: Sequence[_Stretch]) -> None:
        """Decode consecutive frames in one go, and count and note what is wrong."""
        first, last = run[0].first, run[-1].last
        self.wanted_count += last - first
        frames = enumerate(self.timed_check.over(self.written.between(first, last)), start=first)
        try:
            for part in run:
                for (index, frame), original in zip(
                    islice(frames, part.last - part.first), self._originals(part), strict=True
                ):
                    self.decoded_count += 1
                    if original is not None:
                        self.compared_count += 1
                        self.same_count += is_same_picture(frame, original)
                    elif index in self.joins and self._is_encoded(index):
                        self.psnrs.append(psnr(grey(frame), self._original(self.joins[index])))
        except SourceError as error:
            self.message = f" ({error})"

    def _originals(self, part: _Stretch) -> Iterator[VideoFrame | None]:
        count = part.last - part.first
        if part.origin is None or not part.is_compared:
            return repeat(None, count)
        first = part.origin_first
        if self.source is not None and part.origin is self.expected.source:
            return self.source.between(first, first + count)
        return frames_between(part.origin, first, first + count)

    def _is_encoded(self, index: int) -> bool:
        return any(
            item.origin is None and item.first <= index < item.last for item in self.stretches
        )

    def _original(self, frame: int) -> Grey:
        if self.source is not None:
            [original] = self.source.between(frame, frame + 1)
        else:
            upright = browser_form(self.expected.source)
            [original] = source_frames(self.expected.source, upright, frame, frame + 1)
        return grey(original)


def _stretches(expected: Expected) -> list[_Stretch]:
    """The whole written file as stretches of copied and encoded frames, in order."""
    copies = [_Stretch(clip.first, clip.last, clip.media, 0) for clip in expected.clips]
    bounds = [0, *(at for first, count in expected.new_ranges for at in (first, first + count))]
    outside = list(zip(bounds[::2], [*bounds[1::2], expected.frame_count], strict=True))
    for kept in expected.kept:
        whole = _Stretch(kept.first, kept.last, expected.source, kept.source_first)
        copies += [whole.part(first, last) for first, last in outside]
    stretches: list[_Stretch] = []
    at = 0
    for item in sorted(
        (item for item in copies if item.first < item.last), key=lambda item: item.first
    ):
        if at < item.first:
            stretches.append(_Stretch(at, item.first))
        stretches.append(item)
        at = item.last
    if at < expected.frame_count:
        stretches.append(_Stretch(at, expected.frame_count))
    return stretches


def _watched(stretches: Sequence[_Stretch], frame_count: int) -> Iterator[list[_Stretch]]:
    """Yield runs of consecutive frames: every encoded stretch with frames on both sides of it."""
    run: list[_Stretch] = []
    for stretch in stretches:
        parts = [stretch]
        if stretch.origin is not None:
            # Frames before a border were copied with everything that they refer to, so they only
            # have to be decodable.
            first, last = stretch.first, stretch.last
            after = stretch.part(
                first, first + FOLLOWING_FRAMES if first else first, is_compared=True
            )
            before = stretch.part(
                max(after.last, last - PRECEDING_FRAMES) if last < frame_count else last, last
            )
            parts = [part for part in (after, before) if part.first < part.last]
        for part in parts:
            if run and part.first != run[-1].last:
                yield run
                run = []
            run.append(part)
    if run:
        yield run
