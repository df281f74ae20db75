"""What a written file must be, and the results of checking it."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

from annotation.backends.media.facts import Media
from generation.backends.video.edits import FrameEdit
from generation.backends.video.sound.plan import SoundSpan


class Thoroughness(StrEnum):
    """How much of a file of copied packets is decoded; all of its packets are always compared.

    `borders`: what was encoded, the frames on both sides of every border between copied and encoded
    packets, and a few random places. `full`: every frame, each copy beside its original.
    """

    BORDERS = "borders"
    FULL = "full"


@dataclass(frozen=True, slots=True)
class FileCheck:
    """One check: its name, whether it passed, and what it saw."""

    name: str
    is_passed: bool
    seen: str


@dataclass(frozen=True, slots=True)
class Verification:
    """All checks of one written file."""

    checks: tuple[FileCheck, ...]

    @property
    def is_passed(self) -> bool:
        return all(check.is_passed for check in self.checks)

    @property
    def failures(self) -> str:
        return "; ".join(f"{item.name}: {item.seen}" for item in self.checks if not item.is_passed)

    def to_dict(self) -> dict[str, Any]:
        return {"is_passed": self.is_passed, "checks": [asdict(check) for check in self.checks]}


@dataclass(frozen=True, slots=True)
class Kept:
    """A kept stretch of the recording: `count` frames from `source_first`, now at `first`."""

    first: int
    source_first: int
    count: int

    @property
    def last(self) -> int:
        return self.first + self.count

    @property
    def shift(self) -> int:
        return self.first - self.source_first


@dataclass(frozen=True, slots=True)
class CopiedClip:
    """Frames of the new file, from `first` on, that are all the packets of a stored clip."""

    first: int
    media: Media

    @property
    def last(self) -> int:
        return self.first + self.media.frame_count


@dataclass(frozen=True, slots=True)
class Expected:
    """What a written file must be.

    `new_ranges` are (first, count) of the frames that are not copied from the recording; after a
    full re-encoding, of all frames. `is_copied` says whether pictures were copied at all, and
    `is_sound_copied` whether sound was. `clips` are stored clips whose packets were copied into
    these ranges, `sound_spans` the packets of sound that were encoded.
    """

    source: Media
    frame_count: int
    new_ranges: tuple[tuple[int, int], ...]
    kept: tuple[Kept, ...]
    is_copied: bool
    is_sound_copied: bool
    clips: tuple[CopiedClip, ...] = ()
    sound_spans: tuple[SoundSpan, ...] = ()


def kept_ranges(media: Media, edits: Sequence[FrameEdit]) -> tuple[Kept, ...]:
    """Every stretch of the recording between edits."""
    ranges = []
    shown = growth = 0
    for edit in edits:
        ranges.append(Kept(shown + growth, shown, edit.first - shown))
        shown, growth = edit.last, growth + edit.growth
    ranges.append(Kept(shown + growth, shown, media.frame_count - shown))
    return tuple(item for item in ranges if item.count > 0)
