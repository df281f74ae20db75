"""EgoOops, meta/metadata.json: instructions are numbered from 0, -1 is undefined.

Each segment gets at most one label here. Unchanged entries are written as they were read: reading
and writing the published file gives the same file.
"""

import copy
import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

from annotation.engine.corpus.formats.egooops import MISTAKE_CLASSES
from annotation.engine.corpus.formats.reading import Entry, note_repeats, read_json
from segments.engine.model import Segment, order_in_time
from segments.engine.scheme import UNDEFINED_STEP
from segments.formats.exchange import SegmentedRecording, SegmentFile, Settings, Written
from segments.formats.packing import NOTES, notes_of_counts

TITLE = "EgoOops metadata"
SUFFIX = ".json"
HAS_ANNOTATORS = False
TRACK = "steps"
OTHERS = "others"


def read(path: Path, settings: Settings) -> SegmentFile:
    root = read_json(path).as_object()
    steps = {
        task: {str(number): item.as_text() for number, item in enumerate(entry.elements())}
        for task, entry in root.child("instructions").items()
    }
    recordings, places = [], []
    for entry in root.objects("videos"):
        uid, task = entry.text("video_id"), entry.text("task_id")
        if task not in steps:
            entry.fault("task_id", task, "a task that has instructions")
        task_steps = steps.get(task, {})
        segments = [
            _segment(f"{uid}-{place}", item, task_steps)
            for place, item in enumerate(entry.objects("segments"))
        ]
        recordings.append(SegmentedRecording(uid, tuple(segments), task, steps=task_steps))
        places.append((uid, entry.place))
    note_repeats(places, root.faults, "video_id")
    root.faults.raise_if_any()
    return SegmentFile(tuple(recordings), root.value)


def _segment(key: str, item: Entry, steps: dict[str, str]) -> Segment:
    item.times("startTime", "endTime")
    step_id = str(item.integer("instruction"))
    if step_id not in steps and step_id != UNDEFINED_STEP:
        item.fault("instruction", step_id, f"-1 or an instruction from 0 to {len(steps) - 1}")
    classes = []
    for label in item.elements_of("labels"):
        if type(label.value) is int and 0 <= label.value < len(MISTAKE_CLASSES):
            classes.append(MISTAKE_CLASSES[label.value])
        else:
            label.fault("", label.value, f"a mistake class from 0 to {len(MISTAKE_CLASSES) - 1}")
    # EgoOops calls several mistakes of one segment "others"; a file that lists them keeps the list.
    name = classes[0] if len(classes) == 1 else OTHERS if classes else ""
    caption = item.text("caption", is_required=False)
    value = item.value if isinstance(item.value, dict) else {}
    return Segment(key, TRACK, value.get("startTime"), value.get("endTime"), step_id, name, caption)


def write(file: SegmentFile, settings: Settings) -> Written:
    """Missing steps are not written: they follow from the others.

    Mistakes that belong to a step become its label and its caption.
    """
    lost: Counter[str] = Counter()
    document: dict[str, Any] = copy.deepcopy(file.original) or {"videos": [], "instructions": {}}
    entries = {entry["video_id"]: entry for entry in document["videos"]}
    for recording in file.recordings:
        entry = entries.get(recording.uid)
        if entry is None:
            entry = {"task_id": recording.scenario, "video_id": recording.uid, "segments": []}
            document["videos"].append(entry)
        numbers = _numbers(recording, document["instructions"])
        old = {f"{recording.uid}-{place}": item for place, item in enumerate(entry["segments"])}
        lost += _lost(recording)
        segments = [
            _with_mistakes(item, [one for one in recording.shown if one.parent_key == item.key])
            for item in recording.shown
            if item.track == TRACK
        ]
        segments = [item for item in segments if item.start_s is not None]
        if [item.key for item in segments] != list(old):
            segments.sort(key=order_in_time)
        entry["segments"] = [_item(item, old.get(item.key), numbers) for item in segments]
    notes = notes_of_counts(lost)
    if notes:
        document[NOTES] = list(notes)
    return Written(json.dumps(document, indent=4), notes)


def _with_mistakes(segment: Segment, mistakes: list[Segment]) -> Segment:
    """The segment with one label for all its mistakes; the caption names those that differ."""
    labels = [item.label for item in (segment, *mistakes) if item.label]
    if not labels or (labels == [segment.label] and segment.label in MISTAKE_CLASSES):
        return segment
    words = [
        segment.text
        if not segment.label
        else ": ".join(filter(None, (segment.label, segment.text)))
    ]
    words += [": ".join(part for part in (item.label, item.text) if part) for item in mistakes]
    # EgoOops calls several mistakes of one segment "others".
    label = labels[0] if len(labels) == 1 and labels[0] in MISTAKE_CLASSES else OTHERS
    return replace(segment, label=label, text="; ".join(filter(None, words)))


def _lost(recording: SegmentedRecording) -> Counter[str]:
    """How much of the recording the file cannot say as it is."""
    steps = {
        item.key for item in recording.shown if item.track == TRACK and item.start_s is not None
    }
    lost: Counter[str] = Counter()
    for item in recording.shown:
        if item.track == TRACK:
            lost["labels of other schemes, written as others with the label in the caption"] += (
                bool(item.label) and item.label not in MISTAKE_CLASSES
            )
        elif item.parent_key not in steps:
            lost["mistakes that belong to no step with times, left out"] += 1
        else:
            lost["mistakes of their own, written as the label and the caption of their step"] += 1
            lost["times of mistakes, which last as long as their step here"] += (
                item.start_s is not None
            )
    return +lost


def _numbers(recording: SegmentedRecording, instructions: dict[str, list[str]]) -> dict[str, int]:
    """The number of each step's instruction; instructions of a task that the file lacks are added.

    Step ids that count from 0 are taken as numbers, as in a data set imported from such a file;
    other steps are numbered in the order of the procedure.
    """
    listed = instructions.get(recording.scenario)
    if listed is not None:
        counted = [str(number) for number in range(len(listed))]
        if set(recording.steps) <= set(counted):
            return {step_id: number for number, step_id in enumerate(counted)}
    step_ids = list(recording.steps)
    if set(step_ids) == {str(number) for number in range(len(step_ids))}:
        step_ids.sort(key=int)
    if listed is None:
        instructions[recording.scenario] = [recording.steps[step_id] for step_id in step_ids]
    return {step_id: number for number, step_id in enumerate(step_ids)}


def _item(segment: Segment, old: dict[str, Any] | None, numbers: dict[str, int]) -> dict[str, Any]:
    item = dict(old or {})
    labels = [MISTAKE_CLASSES.index(segment.label)] if segment.label else []
    is_several = len(item.get("labels", [])) > 1 and segment.label == OTHERS
    item |= {
        "startTime": segment.start_s,
        "endTime": segment.end_s,
        "instruction": numbers.get(segment.step_id, int(UNDEFINED_STEP)),
        "labels": item["labels"] if is_several else labels,
        "caption": segment.text,
    }
    return item
