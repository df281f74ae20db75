"""CaptainCook4D, annotation_json/error_annotations.json: steps with their errors.

Times of -1 mark a missing step. Unchanged entries are written as they were read: reading and
writing the published file gives the same file.
"""

import copy
import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

from annotation.engine.corpus.formats.captaincook4d import UNTIMED
from annotation.engine.corpus.formats.native_labels import CAPTAINCOOK4D_PROPOSALS
from annotation.engine.corpus.formats.reading import Entry, note_repeats, read_json
from segments.engine.model import Segment
from segments.engine.scheme import UNDEFINED_STEP
from segments.formats.exchange import SegmentedRecording, SegmentFile, Settings, Written
from segments.formats.packing import NOTES, notes_of_counts

TITLE = "CaptainCook4D errors"
SUFFIX = ".json"
HAS_ANNOTATORS = False
STEPS, MISTAKES = "steps", "mistakes"
# The tag of what the data set has no other for.
OTHER = "Other"


def read(path: Path, settings: Settings) -> SegmentFile:
    root = read_json(path)
    recordings, places = [], []
    for entry in [item.as_object() for item in root.elements()]:
        uid, steps = entry.text("recording_id"), {}
        segments: list[Segment] = []
        for place, item in enumerate(entry.objects("step_annotations")):
            steps[item.identifier("step_id")] = item.text("description")
            segments += _segments(f"{uid}-{place}", item)
        activity = entry.identifier("activity_id")
        recordings.append(SegmentedRecording(uid, tuple(segments), activity, steps=steps))
        places.append((uid, entry.place))
    note_repeats(places, root.faults, "recording_id")
    root.faults.raise_if_any()
    return SegmentFile(tuple(recordings), root.value)


def _segments(key: str, item: Entry) -> list[Segment]:
    """A step followed by its errors, which last as long as it does."""
    value = item.value if isinstance(item.value, dict) else {}
    start_s, end_s = value.get("start_time"), value.get("end_time")
    if item.number("start_time") == UNTIMED == item.number("end_time"):
        start_s = end_s = None
    else:
        item.times("start_time", "end_time")
    text = item.text("modified_description", is_required=False)
    step_id = item.identifier("step_id")
    segments = [Segment(key, STEPS, start_s, end_s, step_id, text=text)]
    for place, error in enumerate(item.objects("errors") if item.has("errors") else []):
        name, words = error.text("tag"), error.text("description", is_required=False)
        mistake = Segment(f"{key}-{place}", MISTAKES, None, None, "", name, words, key)
        segments.append(mistake)
    return segments


def write(file: SegmentFile, settings: Settings) -> Written:
    """Labels that stand with a step become errors of it; notes stand with each recording too."""
    lost: Counter[str] = Counter()
    document: list[dict[str, Any]] = copy.deepcopy(file.original) or []
    entries = {entry["recording_id"]: entry for entry in document}
    for recording in file.recordings:
        entry = entries.get(recording.uid)
        if entry is None:
            entry = {"recording_id": recording.uid, "activity_id": _id(recording.scenario)}
            entry |= {"is_error": False, "step_annotations": []}
            document.append(entry)
        old = entry["step_annotations"]
        old_items = {f"{recording.uid}-{place}": item for place, item in enumerate(old)}
        items = []
        own_lost = _lost(recording)
        for segment in recording.shown:
            if segment.track == STEPS:
                mistakes = [m for m in recording.shown if m.parent_key == segment.key]
                if segment.label:
                    # The step and its mistake apart; the text describes the mistake.
                    tag, words = segment.label, segment.text
                    if tag not in CAPTAINCOOK4D_PROPOSALS:
                        tag, words = OTHER, ": ".join(part for part in (tag, words) if part)
                    mistakes.append(Segment("", MISTAKES, None, None, "", tag, words, segment.key))
                    segment = replace(segment, label="", text="")
                old_item = old_items.get(segment.key)
                items.append(_item(segment, mistakes, old_item, recording.steps))
        if own_lost:
            entry[NOTES] = list(notes_of_counts(own_lost))
        lost += own_lost
        # The published `is_error` does not always follow from the errors: only a change sets it.
        if items != old:
            entry["is_error"] = any(item.get("errors") for item in items)
        entry["step_annotations"] = items
    return Written(json.dumps(document, indent=4), notes_of_counts(lost))


def _lost(recording: SegmentedRecording) -> Counter[str]:
    """How much of the recording the file cannot say as it is."""
    steps = {item.key for item in recording.shown if item.track == STEPS}
    lost: Counter[str] = Counter()
    for item in recording.shown:
        if item.track == STEPS:
            foreign = item.label and item.label not in CAPTAINCOOK4D_PROPOSALS
            lost[
                f"labels that are no tags, written as {OTHER} with the label before the words"
            ] += bool(foreign)
            lost["segments of no step, written with the step -1"] += item.step_id == UNDEFINED_STEP
        elif item.parent_key not in steps:
            lost["segments that belong to no step, left out"] += 1
        else:
            lost["times of mistakes, which last as long as their step here"] += (
                item.start_s is not None
            )
    return +lost


def _item(
    segment: Segment, mistakes: list[Segment], old: dict[str, Any] | None, steps: Any
) -> dict[str, Any]:
    item = dict(old or {})
    if str(item.get("step_id", "")) != segment.step_id:
        item |= {
            "description": steps.get(segment.step_id, ""),
            "step_id": _id(segment.step_id),
        }
    if segment.start_s is None:
        if "start_time" not in item or item["start_time"] != UNTIMED:
            item |= {"start_time": UNTIMED, "end_time": UNTIMED}
    else:
        item |= {"start_time": segment.start_s, "end_time": segment.end_s}
    errors = [{"tag": mistake.label, "description": mistake.text} for mistake in mistakes]
    optional = {"modified_description": segment.text, "errors": errors}
    for name, value in optional.items():
        if value:
            item[name] = value
        elif item.get(name):
            del item[name]
    return item


def _id(text: str) -> int | str:
    return int(text) if text.isdecimal() else text
