"""What files of segments hold, whatever their format.

A format is a module of this package with `TITLE`, `SUFFIX`, `read(path, settings)` and
`write(file, settings)`. Reading notes every fault with its place and raises one `FormatError`;
what is written and read again is the same. `original` is the file as it was read: what the house
does not know stays in it, and a time that nobody touched stays as it was written.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from annotation.engine.modules import modules_of
from annotation.engine.segments.model import Segment


@dataclass(frozen=True, slots=True)
class SegmentedRecording:
    """The segments of one recording by one person.

    `steps` are the texts of the procedure's steps by their ids. `annotator` is an opaque id.
    """

    uid: str
    segments: tuple[Segment, ...]
    scenario: str = ""
    duration_s: float | None = None
    rate: float | None = None
    steps: Mapping[str, str] = field(default_factory=dict)
    annotator: str = ""
    round: str = ""
    scheme: str = ""
    scheme_version: int = 0
    guideline: str = ""
    head: int = 0

    @property
    def shown(self) -> tuple[Segment, ...]:
        """Without the deleted ones."""
        return tuple(segment for segment in self.segments if not segment.is_deleted)


@dataclass(frozen=True, slots=True)
class SegmentFile:
    """The recordings of a file; `notes` say what the format could not keep, with counts."""

    recordings: tuple[SegmentedRecording, ...]
    original: Any = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Settings:
    """What some formats do not say themselves.

    `rate` in frames per second. `first_frame` is the number of a recording's first frame: 1 in the
    editor of Label Studio, whose end is the last frame of a range; 0 in its makers' converter,
    whose end is the first frame after it.
    """

    rate: float | None = None
    first_frame: int = 1


@dataclass(frozen=True, slots=True)
class Written:
    """The text of a file and what the format could not keep."""

    text: str
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SegmentFormat:
    """One format: its name on the command line, its words, its reader and writer."""

    name: str
    title: str
    suffix: str
    read: Callable[[Path, Settings], SegmentFile]
    write: Callable[[SegmentFile, Settings], Written]


@cache
def segment_formats() -> dict[str, SegmentFormat]:
    """Every format by name, in alphabetical order."""
    return {
        name: SegmentFormat(name, module.TITLE, module.SUFFIX, module.read, module.write)
        for name, module in modules_of("annotation.engine.segment_formats").items()
        if hasattr(module, "TITLE")
    }
