"""ActivityNet's JSON: the video with its duration, and of each segment the times and one label.

The label is the step by its words, or else the label of the segment. What the format has no place
for is in fields that begin with "piev", which its readers pass over. A file of predictions
(`results` in place of `database`) is read with its scores. Source: the ActivityNet challenge of
2016, "Evaluation and format" of its detection task (activity-net.org/challenges/2016).
"""

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from annotation.engine.corpus.formats.errors import Faults
from annotation.engine.corpus.formats.reading import Entry, read_json
from segments.engine.model import MAX_TIME_S, Segment
from segments.formats.exchange import SegmentedRecording, SegmentFile, Settings, Written
from segments.formats.packing import (
    is_remark,
    packed,
    packed_recording,
    unpacked,
    unpacked_recording,
)
from segments.formats.returning import Row, Vocabulary, meaning_of_columns, names_of, returned

TITLE = "ActivityNet"
SUFFIX = ".json"
# Recordings are keys of an object.
HAS_ANNOTATORS = False
DATABASE, RESULTS = "database", "results"
RECORDING, UNTIMED, DATA = "piev_recording", "piev_untimed", "piev"
# What a label is where the name is a step, and the text of a segment.
LABEL, TEXT = "piev_label", "piev_text"


def write(file: SegmentFile, settings: Settings) -> Written:
    """Every recording in one subset; where its duration is not known, the last end counts as it."""
    database = {}
    for recording in file.recordings:
        timed = [item for item in recording.shown if item.start_s is not None]
        untimed = [item for item in recording.shown if item.start_s is None]
        entry: dict[str, Any] = {
            "duration": recording.duration_s or max((item.span[1] for item in timed), default=0),
            "subset": "validation",
            "annotations": [_annotation(item, recording) for item in timed],
            RECORDING: packed_recording(recording),
        }
        if untimed:
            entry[UNTIMED] = [_scored({DATA: packed(item)}, item, recording) for item in untimed]
        database[recording.uid] = entry
    document = {"version": "PIE-V", "taxonomy": [], DATABASE: database}
    return Written(json.dumps(document, indent=1, ensure_ascii=False) + "\n")


def _annotation(segment: Segment, recording: SegmentedRecording) -> dict[str, Any]:
    shown = _shown(segment, recording.steps)
    annotation: dict[str, Any] = {"segment": list(segment.span), "label": shown["name"]}
    annotation |= {
        place: shown[name] for name, place in (("label", LABEL), ("text", TEXT)) if shown[name]
    }
    return _scored(annotation | {DATA: packed(segment)}, segment, recording)


def _scored(
    values: dict[str, Any], segment: Segment, recording: SegmentedRecording
) -> dict[str, Any]:
    score = recording.scores.get(segment.key)
    return values if score is None else values | {"score": score}


def _shown(segment: Segment, steps: Mapping[str, str]) -> dict[str, str]:
    [name, *label] = names_of(segment, steps) or [""]
    return {"name": name, "label": "".join(label), "text": segment.text}


def read(path: Path, settings: Settings) -> SegmentFile:
    """Segments of others keep their label; they are called s1, s2 and so on."""
    root = read_json(path).as_object()
    faults = root.faults
    kind = RESULTS if root.has(RESULTS) else DATABASE
    entries = root.child(kind)
    faults.raise_if_any()
    recordings: list[SegmentedRecording] = []
    notes: list[str] = []
    for uid, entry in entries.items():
        recording, changes = (
            _predicted(uid, entry) if kind == RESULTS else _recorded(uid, entry, faults)
        )
        recordings.append(recording)
        notes += changes
    faults.raise_if_any()
    return SegmentFile(tuple(recordings), notes=tuple(notes))


def _predicted(uid: str, entry: Entry) -> tuple[SegmentedRecording, tuple[str, ...]]:
    items = [item.as_object() for item in entry.elements()]
    return _returned(SegmentedRecording(uid, ()), items, [])


def _recorded(uid: str, entry: Entry, faults: Faults) -> tuple[SegmentedRecording, tuple[str, ...]]:
    entry = entry.as_object()
    about = SegmentedRecording(uid, ())
    if entry.has(RECORDING):
        # The key counts: a recording may have been renamed.
        about = replace(unpacked_recording(entry.text(RECORDING), entry.place, faults), uid=uid)
    untimed = entry.objects(UNTIMED) if entry.has(UNTIMED) else []
    return _returned(about, entry.objects("annotations"), untimed)


def _returned(
    about: SegmentedRecording, items: list[Entry], untimed: list[Entry]
) -> tuple[SegmentedRecording, tuple[str, ...]]:
    held = [unpacked(item.text(DATA), item.place, item.faults, (None, None)) for item in untimed]
    rows = [_row(item, number) for number, item in enumerate(items, start=1)]
    recording, notes = returned(about, rows, held, shown_of=_shown, meaning_of=_meaning)
    scores = {item.key: _score(entry) for item, entry in zip(held, untimed, strict=True)}
    # `returned` has the rows first, in their order.
    scores |= {
        segment.key: _score(item) for segment, item in zip(recording.segments, items, strict=False)
    }
    present = {item.key for item in recording.segments}
    known = {key: score for key, score in scores.items() if score is not None and key in present}
    return replace(recording, scores=known), notes


def _score(item: Entry) -> float | None:
    return item.number("score") if item.has("score") else None


def _meaning(shown: Mapping[str, str], row: Row, vocabulary: Vocabulary) -> Mapping[str, Any]:
    if row.remark is not None:
        return meaning_of_columns(shown, row, vocabulary)
    # Named as a step of the procedure that the file has, or else as the file names it.
    step_id = vocabulary.step(shown["name"])
    if step_id is None:
        return {"label": shown["name"], "text": shown["text"]}
    return {"step_id": step_id, "label": shown["label"], "text": shown["text"]}


def _row(item: Entry, number: int) -> Row:
    # The numbers of classes are labels too; only ours are without one.
    name = item.identifier("label") if item.raw("label") != "" else ""
    shown = {"name": " ".join(name.split())}
    shown |= {
        word: item.text(place, is_required=False)
        for word, place in (("label", LABEL), ("text", TEXT))
    }
    times = _times(item)
    remark = item.text(DATA, is_required=False)
    ours = unpacked(remark, item.place, item.faults, times) if is_remark(remark) else None
    return Row(item.place, f"s{number}", times, shown, ours)


def _times(item: Entry) -> tuple[float, float]:
    span = item.raw("segment")
    expected = f"[start, end] in seconds, from 0 to {MAX_TIME_S:.0f}"
    if (
        isinstance(span, list)
        and len(span) == 2
        and all(type(time_s) in (int, float) for time_s in span)
        and 0 <= span[0] <= span[1] <= MAX_TIME_S
    ):
        return span[0], span[1]
    if item.has("segment"):
        item.fault("segment", span, expected)
    return 0, 0
