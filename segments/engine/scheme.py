"""Schemes of segments: tracks, what names a segment, and the questions about each segment.

A version of a scheme never changes once somebody has worked with it; a new one is appended to
`VERSIONS` in the file of the scheme (`segments/schemes/`).

ValueError
  UnknownSchemeError    no such scheme, or no such version
  UnmappedLabelError    labels of mistakes that the scheme does not map to events
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from enum import StrEnum
from functools import cache
from typing import Any

from annotation.engine.modules import offered
from annotation.engine.taxonomy import EventType
from segments.engine.templates import Template

# A step that no instruction describes, as EgoOops writes it.
UNDEFINED_STEP = "-1"
PACKAGE = "segments.schemes"


class Geometry(StrEnum):
    """How the segments of a track may lie."""

    PARTITION = "partition"  # they cover the recording, and every edge is shared
    GAPS = "gaps"  # no two overlap
    FREE = "free"


class LabelSource(StrEnum):
    """What names a segment."""

    STEPS = "steps"  # the steps of the procedure, or undefined
    LABELS = "labels"  # the labels of the track
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Label:
    """A label of a track; `templates` build its description, none leaves that free."""

    name: str
    templates: tuple[Template, ...] = ()


@dataclass(frozen=True, slots=True)
class Track:
    """One lane.

    `source` is what names a segment. A track of steps may have `labels` too: those of a mistake,
    one for a segment at most. Segments of a track with `belongs_to` name the segment of that track
    to which they belong; those without times of their own last as long as it does.
    """

    name: str
    title: str
    geometry: Geometry
    source: LabelSource
    labels: tuple[Label, ...] = ()
    has_undefined: bool = False
    is_points: bool = False
    belongs_to: str = ""
    # Every step that is not in the recording has to be marked as missing.
    says_missing: bool = False

    def __post_init__(self) -> None:
        has_labels_rightly = (self.source is LabelSource.LABELS) == bool(self.labels)
        if self.source is not LabelSource.STEPS and not has_labels_rightly:
            raise ValueError(f"track {self.name} has {len(self.labels)} labels for {self.source}")

    def is_undefined(self, step_id: str) -> bool:
        """Whether the id marks a segment that no instruction describes."""
        return self.has_undefined and step_id == UNDEFINED_STEP

    def label(self, name: str) -> Label | None:
        return next((label for label in self.labels if label.name == name), None)

    def to_dict(self) -> dict[str, Any]:
        labels = [
            {"name": label.name, "templates": [item.pattern for item in label.templates]}
            for label in self.labels
        ]
        return {**{item.name: getattr(self, item.name) for item in fields(self)}, "labels": labels}


@dataclass(frozen=True, slots=True)
class Question:
    """One yes/no question about a segment; the segment is right when the answer is yes."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Scheme:
    """One version of a scheme.

    Edges lie on multiples of `resolution_s` seconds, on frames where it is None. `events` maps each
    label of a mistake to a type of event, None where a person decides that. `boundaries` says in
    words when a segment begins and ends. `derives_order`: mistakes of order are not labelled, for
    they follow from the order of the steps (EgoOops, 7.6).
    """

    name: str
    version: int
    title: str
    boundaries: str
    tracks: tuple[Track, ...]
    questions: tuple[Question, ...] = ()
    resolution_s: float | None = None
    events: Mapping[str, EventType | None] | None = None
    derives_order: bool = False

    def __post_init__(self) -> None:
        names = [track.name for track in self.tracks]
        if len(set(names)) < len(names) or not names:
            raise ValueError(f"scheme {self.name} has the tracks {names}; expected each once")
        for track in self.tracks:
            if track.belongs_to and track.belongs_to not in names:
                raise ValueError(f"track {track.name} belongs to {track.belongs_to!r}, no track")

    def track(self, name: str) -> Track:
        """Raises ValueError naming the known ones."""
        for track in self.tracks:
            if track.name == name:
                return track
        names = ", ".join(track.name for track in self.tracks)
        raise ValueError(f"track is {name!r}; expected one of {names}")

    def track_of_steps(self) -> Track:
        """The track on which steps have a start and an end; raises ValueError where none is."""
        for track in self.tracks:
            if track.source is LabelSource.STEPS and not track.is_points:
                return track
        raise ValueError(f"scheme {self.name} has no track of steps that last")

    def to_dict(self) -> dict[str, Any]:
        """The scheme as pages need it: without the events that labels stand for."""
        names = ("name", "version", "title", "boundaries", "resolution_s")
        return {
            **{name: getattr(self, name) for name in names},
            "tracks": [track.to_dict() for track in self.tracks],
            "questions": [{"name": item.name, "text": item.text} for item in self.questions],
        }

    def events_of(self, labels: Iterable[str]) -> dict[str, EventType | None]:
        """The event of each label; raises `UnmappedLabelError` with all that have none."""
        events = self.events or {}
        unique = dict.fromkeys(labels)
        missing = [name for name in unique if name not in events]
        if missing:
            raise UnmappedLabelError(self, missing)
        return {name: events[name] for name in unique}


class UnknownSchemeError(ValueError):
    """There is no scheme of this name, or no such version of it; names the existing ones."""


class UnmappedLabelError(ValueError):
    """Publishing is refused: the scheme does not say which events these labels stand for."""

    def __init__(self, scheme: Scheme, labels: list[str]) -> None:
        self.labels = tuple(labels)
        named = ", ".join(repr(label) for label in labels)
        super().__init__(
            f"scheme {scheme.name} {scheme.version} maps no event to {named}; expected each label"
            " of a mistake in its events"
        )


@cache
def available_schemes() -> dict[str, tuple[Scheme, ...]]:
    """The versions of every scheme, oldest first, by name in alphabetical order."""
    schemes: dict[str, tuple[Scheme, ...]] = offered(PACKAGE, "VERSIONS")
    for name, versions in schemes.items():
        pairs = [(scheme.name, scheme.version) for scheme in versions]
        expected = [(name, number) for number in range(1, len(versions) + 1)]
        if pairs != expected or not pairs:
            raise ValueError(f"{name}.py holds {pairs}; expected {name} in versions from 1 on")
    return schemes


def scheme(name: str, version: int | None = None) -> Scheme:
    """A version of a scheme, the newest where none is named; raises `UnknownSchemeError`."""
    schemes = available_schemes()
    if name not in schemes:
        raise UnknownSchemeError(f"scheme is {name!r}; expected one of {', '.join(schemes)}")
    versions = schemes[name]
    if version is None:
        return versions[-1]
    if not 1 <= version <= len(versions):
        expected = f"1 to {len(versions)}" if len(versions) > 1 else "1"
        raise UnknownSchemeError(f"version of {name} is {version}; expected {expected}")
    return versions[version - 1]
