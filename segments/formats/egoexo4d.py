"""Ego-Exo4D keystep annotations: steps only; fields unknown to PIE-V are kept."""

import copy
import json
from pathlib import Path
from typing import Any

from annotation.engine.corpus.formats.errors import fault_of_file
from annotation.engine.corpus.formats.reading import read_json
from segments.engine.model import Segment, order_in_time
from segments.formats.exchange import SegmentedRecording, SegmentFile, Settings, Written
from segments.formats.packing import NOTES

TITLE = "Ego-Exo4D keystep"
SUFFIX = ".json"
HAS_ANNOTATORS = False
TRACK = "steps"


def read(path: Path, settings: Settings) -> SegmentFile:
    root = read_json(path).as_object()
    if not root.has("annotations"):
        raise fault_of_file(path.name, "no annotations", '"annotations" with takes')
    annotations = root.child("annotations")
    is_mapping = isinstance(annotations.value, dict)
    entries = [entry for _, entry in annotations.items()] if is_mapping else annotations.elements()
    recordings = []
    for entry in entries:
        uid, segments = entry.text("take_uid"), []
        steps: dict[str, str] = {}
        for place, item in enumerate(entry.objects("segments")):
            item.times("start_time", "end_time")
            value = item.value if isinstance(item.value, dict) else {}
            times = value.get("start_time"), value.get("end_time")
            step_id = item.identifier("step_id")
            text = item.text("step_description", is_required=False)
            segments.append(Segment(f"{uid}-{place}", TRACK, *times, step_id, text=text))
            name = item.text("step_name", is_required=False)
            steps.setdefault(step_id, name or text)
        scenario = entry.text("scenario", is_required=False)
        recordings.append(SegmentedRecording(uid, tuple(segments), scenario, steps=steps))
    root.faults.raise_if_any()
    return SegmentFile(tuple(recordings), root.value)


def write(file: SegmentFile, settings: Settings) -> Written:
    """Labels of mistakes are left out; the notes count them."""
    document: dict[str, Any] = copy.deepcopy(file.original) or {"annotations": []}
    takes = document["annotations"]
    listed = takes.values() if isinstance(takes, dict) else takes
    entries = {item["take_uid"]: item for item in listed}
    lost = 0
    for recording in file.recordings:
        entry = entries.get(recording.uid)
        if entry is None:
            entry = {"take_uid": recording.uid, "scenario": recording.scenario, "segments": []}
            if isinstance(takes, dict):
                takes[recording.uid] = entry
            else:
                takes.append(entry)
        old = {f"{recording.uid}-{place}": item for place, item in enumerate(entry["segments"])}
        segments = [item for item in recording.shown if item.track == TRACK]
        lost += sum(bool(item.label) for item in segments)
        lost += len(recording.shown) - len(segments)
        segments = [item for item in segments if item.start_s is not None]
        if [item.key for item in segments] != list(old):
            segments.sort(key=order_in_time)
        entry["segments"] = [_item(item, old.get(item.key), recording) for item in segments]
    notes = (f"labels and segments of other tracks left out: {lost}",) if lost else ()
    if notes:
        document[NOTES] = list(notes)
    return Written(json.dumps(document, indent=4), notes)


def _item(
    segment: Segment, old: dict[str, Any] | None, recording: SegmentedRecording
) -> dict[str, Any]:
    item = dict(old or {})
    item |= {"start_time": segment.start_s, "end_time": segment.end_s}
    if str(item.get("step_id", "")) != segment.step_id:
        step_id = int(segment.step_id) if segment.step_id.isdecimal() else segment.step_id
        item |= {"step_id": step_id, "step_name": recording.steps.get(segment.step_id, "")}
        # Both describe the step that was here before.
        item.pop("is_essential", None)
        item.pop("step_unique_id", None)
    if segment.text or "step_description" in item:
        item["step_description"] = segment.text
    return item
