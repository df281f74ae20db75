"""PIE-V's own segments as JSON: complete, and equal byte by byte when written again."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

from annotation.engine.corpus.formats.reading import Entry, note_repeats, read_json
from segments.engine.model import Segment
from segments.formats.exchange import SegmentedRecording, SegmentFile, Settings, Written

TITLE = "PIE-V segments"
SUFFIX = ".json"
FORMAT = "piev-segments"
VERSION = 1

_APART = ("segments", "scores", "frame_times", "media")
_ABOUT = tuple(item.name for item in fields(SegmentedRecording) if item.name not in _APART)
_encoded = json.JSONEncoder(ensure_ascii=False).encode

_TEXTS = ("track", "step_id", "label", "text", "parent_key", "note")
_FLAGS = ("is_flagged", "is_proposal", "is_deleted")


def read(path: Path, settings: Settings) -> SegmentFile:
    root = read_json(path).as_object()
    if root.text("format") != FORMAT or root.integer("version") != VERSION:
        root.fault("format", root.raw("format"), f"{FORMAT} of version {VERSION}")
        root.faults.raise_if_any()
    entries = root.objects("recordings")
    recordings = tuple(recording_of(entry) for entry in entries)
    places = [
        (f"{item.uid} {item.annotator}".strip(), entry.place)
        for item, entry in zip(recordings, entries, strict=True)
    ]
    note_repeats(places, root.faults, "uid")
    root.faults.raise_if_any()
    return SegmentFile(recordings)


def write(file: SegmentFile, settings: Settings) -> Written:
    return Written("".join(lines(file.recordings, settings)))


def lines(recordings: Iterable[SegmentedRecording], settings: Settings) -> Iterator[str]:
    yield f'{{\n "format": "{FORMAT}",\n "version": {VERSION},\n "recordings": ['
    comma = ""
    for recording in recordings:
        about = about_of(recording)
        if recording.scores:
            about["scores"] = dict(recording.scores)
        segments = ",\n   ".join(_encoded(item.to_dict()) for item in recording.segments)
        yield f'{comma}\n  {_encoded(about)[:-1]}, "segments": [\n   {segments}\n  ]}}'
        comma = ","
    yield "\n ]\n}\n"


def about_of(recording: SegmentedRecording) -> dict[str, Any]:
    """A recording without its segments, scores, frame times and the name of its video."""
    return {name: getattr(recording, name) for name in _ABOUT} | {"steps": dict(recording.steps)}


def recording_of(entry: Entry) -> SegmentedRecording:
    items = entry.objects("segments")
    note_repeats([(item.text("key"), item.place) for item in items], entry.faults, "key")
    scores = entry.child("scores").as_object() if entry.has("scores") else None
    return SegmentedRecording(
        uid=entry.text("uid"),
        segments=tuple(segment_of(item) for item in items),
        scenario=entry.text("scenario", is_required=False),
        duration_s=_number(entry, "duration_s"),
        rate=_number(entry, "rate"),
        steps={key: text.as_text() for key, text in entry.child("steps").items()},
        annotator=entry.text("annotator", is_required=False),
        round=entry.text("round", is_required=False),
        scheme=entry.text("scheme", is_required=False),
        scheme_version=entry.integer("scheme_version"),
        guideline=entry.text("guideline", is_required=False),
        head=entry.integer("head"),
        scores={key: scores.number(key) for key, _ in scores.items()} if scores else {},
    )


def segment_of(entry: Entry) -> Segment:
    start_s, end_s = _number(entry, "start_s"), _number(entry, "end_s")
    if (start_s is None) != (end_s is None):
        entry.fault("end_s", end_s, "a time, or none for both")
    elif start_s is not None:
        entry.times("start_s", "end_s")
    content: dict[str, Any] = {name: entry.text(name, is_required=False) for name in _TEXTS}
    content |= {name: entry.boolean(name) for name in _FLAGS}
    return Segment(
        key=entry.text("key"),
        start_s=start_s,
        end_s=end_s,
        revision=entry.integer("revision"),
        **content,
    )


def _number(entry: Entry, field: str) -> float | None:
    """A number as it is written: 2 stays 2 and does not become 2.0."""
    value = entry.raw(field)
    if value is None:
        return None
    number = entry.number(field)
    return value if isinstance(value, int) and not isinstance(value, bool) else number
