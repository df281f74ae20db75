"""Apply edits to a recording: by the fast path if possible, else by the slow one with the reason.

A file is only published when verified: it is written under another name, checked, and renamed in
one step. If the result of the fast path fails a check, the slow path is taken and says so; if that
fails too, `VerificationError` is raised and nothing is left behind.
"""

import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

import av

from annotation.backends.media.exceptions import VideoError
from annotation.backends.media.facts import Media, read_media
from annotation.backends.media.memory import memory_released, release_memory
from annotation.backends.publishing import draft_of, publish
from generation.backends.video.checking.expected import (
    Expected,
    Thoroughness,
    Verification,
    kept_ranges,
)
from generation.backends.video.checking.verification import verify
from generation.backends.video.edits import Edit, FrameEdit, frame_edits
from generation.backends.video.exceptions import EditError, VerificationError
from generation.backends.video.splicing.packet_plan import CannotCopyPackets, plan_packets
from generation.backends.video.splicing.packets import write_packets
from generation.backends.video.splicing.reencoding import write_reencoded
from generation.backends.video.timed_check import StillWanted, TimedCheck
from generation.engine.progress import UNWATCHED

LONGEST_CROSS_FADE_S = 1.0


class SplicePath(StrEnum):
    """How a file was made."""

    PACKETS = "packets"
    REENCODED = "reencoded"


@dataclass(frozen=True, slots=True)
class SpliceOptions:
    """`cross_fade_s` fades clips in and out over the recording, within their own duration.

    `thoroughness` says how much of the result is decoded to verify it. `check` is called about
    once a second; if it raises, the work ends and leaves nothing behind.
    """

    cross_fade_s: float = 0.0
    thoroughness: Thoroughness = Thoroughness.BORDERS
    check: StillWanted = UNWATCHED.check

    def __post_init__(self) -> None:
        if not 0 <= self.cross_fade_s <= LONGEST_CROSS_FADE_S:
            raise EditError(
                f"a cross-fade of {self.cross_fade_s} s; expected 0 to {LONGEST_CROSS_FADE_S:g} s"
            )


@dataclass(frozen=True, slots=True)
class DoneEdit:
    """One edit on the frame grid: what it replaced, and where its clips are now (seconds)."""

    source_start_s: float
    source_end_s: float
    start_s: float
    end_s: float


@dataclass(frozen=True, slots=True)
class SpliceResult:
    """The published file. `reasons` says why the slow path was taken; empty for the fast one.

    Times are seconds from the first frame; `seconds` is how long each part of the work took, and
    `cpu_seconds` the processor time of this process meanwhile, on all processors together.
    """

    path: SplicePath
    reasons: tuple[str, ...]
    frame_count: int
    copied_count: int
    encoded_count: int
    duration_s: float
    edits: tuple[DoneEdit, ...]
    seconds: dict[str, float]
    cpu_seconds: dict[str, float]
    verification: Verification

    def to_dict(self) -> dict[str, Any]:
        return {**asdict(self), "verification": self.verification.to_dict()}


def splice(
    source: Path, edits: Sequence[Edit], out: Path, options: SpliceOptions | None = None
) -> SpliceResult:
    """Write the recording with the edits to `out` (an MP4 file) and return what was done.

    Raises `VideoError` for a recording, clip or edit that cannot be used and
    `VerificationError` if the result is not right; `out` then stays as it was.
    """
    options = options or SpliceOptions()
    clock = _Clock()
    if not out.parent.is_dir():
        raise VideoError(f"there is no folder {out.parent}")
    media = read_media(source)
    placed = frame_edits(media, edits)
    clock.lap("reading")
    with memory_released(), draft_of(out) as draft:
        try:
            done = _Job(media, placed, draft, options, clock, TimedCheck(options.check)).run()
        except av.FFmpegError as error:
            raise VideoError(f"{source.name} cannot be spliced ({error})") from error
        publish(draft, out)
        clock.lap("publishing")
    return done


def done_edits(media: Media, edits: Sequence[FrameEdit]) -> Iterator[DoneEdit]:
    """Yield where the clips of the edits are in the new file."""
    growth = 0
    for edit in edits:
        first = edit.first + growth
        times = (edit.first, edit.last, first, first + edit.clip_frame_count)
        yield DoneEdit(*(float(frame / media.frame_rate) for frame in times))
        growth += edit.growth


class _Clock:
    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self.cpu_seconds: dict[str, float] = {}
        self._since = time.perf_counter()
        self._cpu_since = time.process_time()

    def lap(self, name: str) -> None:
        now = time.perf_counter()
        cpu_now = time.process_time()
        self.seconds[name] = round(self.seconds.get(name, 0.0) + now - self._since, 3)
        spent = self.cpu_seconds.get(name, 0.0) + cpu_now - self._cpu_since
        self.cpu_seconds[name] = round(spent, 3)
        self._since, self._cpu_since = now, cpu_now


@dataclass(frozen=True, slots=True)
class _Job:
    """Writes and verifies the draft, which its caller publishes; `clock` times the parts."""

    media: Media
    edits: tuple[FrameEdit, ...]
    draft: Path
    options: SpliceOptions
    clock: _Clock
    timed_check: TimedCheck

    @property
    def cross_fade_frames(self) -> int:
        return round(self.options.cross_fade_s * self.media.frame_rate)

    def run(self) -> SpliceResult:
        reasons = self.media.obstacles
        is_sound_copied = self.media.can_copy_sound
        if not reasons:
            try:
                done = self._by_packets()
            except CannotCopyPackets as obstacle:
                reasons = (str(obstacle),)
            else:
                if done.verification.is_passed:
                    return done
                reasons = (f"copied packets failed a check ({done.verification.failures})",)
                is_sound_copied = False
                release_memory()
        done = self._by_reencoding(reasons, is_sound_copied=is_sound_copied)
        if is_sound_copied and not done.verification.is_passed:
            reasons += (f"with its sound copied it failed a check ({done.verification.failures})",)
            release_memory()
            done = self._by_reencoding(reasons, is_sound_copied=False)
        if not done.verification.is_passed:
            raise VerificationError(f"nothing was published: {done.verification.failures}")
        return done

    def _by_packets(self) -> SpliceResult:
        plan = plan_packets(self.media, self.edits, cross_fade_frames=self.cross_fade_frames)
        written = write_packets(plan, self.draft, self.timed_check)
        expected = Expected(
            source=self.media,
            frame_count=plan.frame_count,
            new_ranges=tuple(written.new_ranges),
            kept=kept_ranges(self.media, self.edits),
            is_copied=True,
            is_sound_copied=True,
            clips=tuple(written.clips),
            sound_spans=plan.sound_spans,
        )
        copied_count = written.copied_count + written.clip_copied_count
        return self._verified(expected, copied_count, written.encoded_count)

    def _by_reencoding(self, reasons: tuple[str, ...], *, is_sound_copied: bool) -> SpliceResult:
        written = write_reencoded(
            self.media,
            self.edits,
            self.draft,
            is_sound_copied=is_sound_copied,
            cross_fade_frames=self.cross_fade_frames,
            timed_check=self.timed_check,
        )
        expected = Expected(
            source=self.media,
            frame_count=written.frame_count,
            new_ranges=((0, written.frame_count),),
            kept=kept_ranges(self.media, self.edits),
            is_copied=False,
            is_sound_copied=is_sound_copied,
            sound_spans=written.sound_spans,
        )
        return self._verified(expected, 0, written.frame_count, reasons)

    def _verified(
        self,
        expected: Expected,
        copied_count: int,
        encoded_count: int,
        reasons: tuple[str, ...] = (),
    ) -> SpliceResult:
        release_memory()
        self.clock.lap("writing")
        verification = verify(self.draft, expected, self.options.thoroughness, self.timed_check)
        self.clock.lap("verification")
        return SpliceResult(
            path=SplicePath.PACKETS if expected.is_copied else SplicePath.REENCODED,
            reasons=reasons,
            frame_count=expected.frame_count,
            copied_count=copied_count,
            encoded_count=encoded_count,
            duration_s=float(expected.frame_count / self.media.frame_rate),
            edits=tuple(done_edits(self.media, self.edits)),
            seconds=self.clock.seconds,
            cpu_seconds=self.clock.cpu_seconds,
            verification=verification,
        )
