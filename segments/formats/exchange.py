"""What files of segments hold, whatever their format.

A format is a module of this package with `TITLE`, `SUFFIX`, `read(path, settings)` and
`write(file, settings)`. Reading collects every fault with its place and raises one `FormatError`;
a file that is written and read again gives the same segments. `original` is the file as it was
read: fields unknown to PIE-V and times that nobody changed are written as they stand there.

A format for large files also has `lines(recordings, settings)`, which yields the text of `write`
piece by piece. `ONE_RECORDING`: a file holds one recording. `HAS_ANNOTATORS = False`: it cannot
hold the same recording by several people. `HAS_FRAME_TIMES`: it says when frames are shown on the
file's own clock.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

from annotation.engine.modules import modules_of
from annotation.engine.videos.clock import FrameTimes
from segments.engine.model import Segment, order_in_time


@dataclass(frozen=True, slots=True)
class SegmentedRecording:
    """The segments of one recording by one person.

    `steps` are the texts of the procedure's steps by id, `scores` a model's confidence by segment
    key. `annotator` is an opaque id. `frame_times` are only set for formats that `HAS_FRAME_TIMES`,
    where the frames of the video were read. `media` is the name of the video's file.
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
    scores: Mapping[str, float] = field(default_factory=dict)
    frame_times: FrameTimes | None = field(default=None, compare=False)
    media: str = field(default="", compare=False)

    @property
    def shown(self) -> tuple[Segment, ...]:
        """Without the deleted ones."""
        return tuple(segment for segment in self.segments if not segment.is_deleted)


@dataclass(frozen=True, slots=True)
class SegmentFile:
    """The recordings of a file; `notes` say what was left out, with counts."""

    recordings: tuple[SegmentedRecording, ...]
    original: Any = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Settings:
    """What some formats leave out of the file.

    `rate` in frames per second. `first_frame` is the number of a recording's first frame: 1 in the
    editor of Label Studio, where a range ends with its last frame; 0 in its makers' converter,
    where it ends with the first frame after it.
    """

    rate: float | None = None
    first_frame: int = 1


@dataclass(frozen=True, slots=True)
class Written:
    """The text of a file; `notes` say what the format could not keep."""

    text: str
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SegmentFormat:
    """One format; `name` is that on the command line and in the API."""

    name: str
    title: str
    suffix: str
    read: Callable[[Path, Settings], SegmentFile]
    write: Callable[[SegmentFile, Settings], Written]
    lines: Callable[[Iterable[SegmentedRecording], Settings], Iterator[str]] | None = None
    is_of_one: bool = False
    has_annotators: bool = True
    has_frame_times: bool = False


@cache
def segment_formats() -> dict[str, SegmentFormat]:
    """Every format by name, in alphabetical order."""
    return {
        name: SegmentFormat(
            name,
            module.TITLE,
            module.SUFFIX,
            module.read,
            module.write,
            lines=getattr(module, "lines", None),
            is_of_one=getattr(module, "ONE_RECORDING", False),
            has_annotators=getattr(module, "HAS_ANNOTATORS", True),
            has_frame_times=getattr(module, "HAS_FRAME_TIMES", False),
        )
        for name, module in modules_of("segments.formats").items()
        if hasattr(module, "TITLE")
    }


def named_as_read(
    recording: SegmentedRecording, original: SegmentedRecording
) -> SegmentedRecording:
    """The recording with the file's own keys for segments that have not changed since reading it.

    They are in the order of the file if all of its segments are unchanged. The site gives segments
    other keys, because those of a file could tell who made it.
    """
    keys: dict[tuple[object, ...], list[str]] = defaultdict(list)
    for key, content in reversed(_contents(original).items()):
        keys[content].append(key)
    renamed = {}
    for key, content in _contents(recording).items():
        candidates = keys[content]
        renamed[key] = candidates.pop() if candidates else key
    named = [
        replace(item, key=renamed[item.key], parent_key=renamed.get(item.parent_key, ""))
        for item in recording.shown
    ]
    places = {segment.key: place for place, segment in enumerate(original.segments)}
    if all(segment.key in places for segment in named):
        named.sort(key=lambda segment: places[segment.key])
    else:
        named.sort(key=order_in_time)
    return replace(recording, segments=tuple(named))


def _contents(recording: SegmentedRecording) -> dict[str, tuple[object, ...]]:
    """The content of each segment by key, with that of the segment it belongs to."""
    own: dict[str, tuple[object, ...]] = {
        item.key: (item.track, item.start_s, item.end_s, item.step_id, item.label, item.text)
        for item in recording.shown
    }
    return {item.key: (*own[item.key], own.get(item.parent_key)) for item in recording.shown}
