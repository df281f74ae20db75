"""Label Studio's JSON with `timelinelabels`: ranges of frames at a rate that has to be known.

Frames are counted in two ways. In the editor the first frame is 1 and a range ends with its last
frame: [f, g) is start f + 1, end g. The converter of its makers (label-studio-ml-backend,
examples/yolo/utils/converter.py) counts from 0 and ends a range with the frame after it. Files are
written as the editor counts, with the seconds in `meta`.
"""

import json
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from annotation.engine.corpus.formats.errors import fault_of_file
from annotation.engine.corpus.formats.reading import Entry, read_json
from annotation.engine.videos.clock import first_frame, rounded
from segments.engine.model import MAX_TIME_S, Segment
from segments.formats.exchange import SegmentedRecording, SegmentFile, Settings, Written
from segments.formats.packing import (
    is_remark,
    packed,
    packed_recording,
    unpacked,
    unpacked_recording,
)
from segments.formats.returning import Row, Vocabulary, names_of, returned

TITLE = "Label Studio"
SUFFIX = ".json"
KIND = "timelinelabels"
# Of segments without times, which have no range.
UNTIMED = "piev_untimed"
RECORDING = "piev_recording"


def _frames(segment: Segment, rate: float) -> tuple[int, int]:
    """[f, g): at least one frame."""
    start, end = (first_frame(time_s, rate) for time_s in segment.span)
    return start, max(end, start + 1)


def write(file: SegmentFile, settings: Settings) -> Written:
    """A task for each recording; raises ValueError where the rate is not known."""
    tasks = []
    for number, recording in enumerate(file.recordings, start=1):
        rate = recording.rate or settings.rate
        if not rate:
            raise ValueError(f"the rate of {recording.uid} is unknown; expected frames per second")
        results = []
        for place, item in enumerate(recording.shown):
            if item.start_s is None:
                continue
            start, end = _frames(item, rate)
            value = {
                "ranges": [{"start": start + 1, "end": end}],
                KIND: names_of(item, recording.steps),
            }
            names = {"from_name": item.track, "to_name": "video", "type": KIND}
            meta = {"text": [packed(item, with_times=True)]}
            results.append({"id": f"r{place}", **names, "value": value, "meta": meta})
        untimed = [packed(item) for item in recording.shown if item.start_s is None]
        data = {"video": recording.uid, RECORDING: packed_recording(recording), UNTIMED: untimed}
        tasks.append({"id": number, "data": data, "annotations": [{"result": results}]})
    return Written(json.dumps(tasks, indent=1, ensure_ascii=False) + "\n")


def read(path: Path, settings: Settings) -> SegmentFile:
    """Each annotation of a task becomes a recording of its own.

    `settings.first_frame` says how ranges count. Seconds in `meta` are used while the range still
    matches them; otherwise somebody moved the range in Label Studio.
    """
    root = read_json(path)
    recordings: list[SegmentedRecording] = []
    notes: list[str] = []
    lost = 0
    for task in [item.as_object() for item in root.elements()]:
        data = task.child("data").as_object()
        uid = data.text("video")
        about = data.text(RECORDING) if data.has(RECORDING) else json.dumps({"uid": uid})
        untimed = [
            unpacked(item.as_text(), item.place, item.faults, (None, None))
            for item in (data.elements_of(UNTIMED) if data.has(UNTIMED) else [])
        ]
        for annotation in task.objects("annotations"):
            about_one = unpacked_recording(about, task.place, root.faults)
            rate = about_one.rate or settings.rate
            if not rate:
                expected = "the frames per second of the recording, which the file does not say"
                raise fault_of_file(path.name, "unknown rate", expected, place=task.place)
            results = annotation.objects("result")
            ranges = [item for item in results if item.text("type") == KIND]
            lost += len(results) - len(ranges)
            rows = [row for item in ranges for row in _rows(item, rate, settings.first_frame)]
            recording, changes = returned(
                about_one,
                rows,
                untimed,
                shown_of=partial(_shown, rate=rate),
                meaning_of=_meaning if data.has(RECORDING) else _meaning_of_others,
            )
            recordings.append(recording)
            notes += changes
    root.faults.raise_if_any()
    if lost:
        notes.append(f"results other than {KIND} left out: {lost}")
    return SegmentFile(tuple(recordings), notes=tuple(notes))


def _shown(segment: Segment, steps: Mapping[str, str], *, rate: float) -> dict[str, str]:
    names = "\n".join(names_of(segment, steps))
    if segment.start_s is None:
        return {"names": names, "range": ""}
    start, end = _frames(segment, rate)
    return {"names": names, "range": f"{start} {end}"}


def _meaning(shown: Mapping[str, str], row: Row, vocabulary: Vocabulary) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    if "names" in shown:
        fields |= vocabulary.of_names(shown["names"].split("\n"), row)
    if "range" in shown:
        fields |= {"start_s": row.times[0], "end_s": row.times[1]}
    return fields


def _meaning_of_others(
    shown: Mapping[str, str], row: Row, vocabulary: Vocabulary
) -> dict[str, Any]:
    return {"label": shown["names"].partition("\n")[0]}


def _rows(item: Entry, rate: float, first: int) -> list[Row]:
    value = item.child("value").as_object()
    labels = [" ".join(label.as_text().split()) for label in value.elements_of(KIND)]
    rows = []
    for place, piece in enumerate(value.objects("ranges")):
        start = piece.integer("start") - first
        # Counted from 1 a range names its last frame, counted from 0 the one after it.
        end = piece.integer("end")
        if not 0 <= start < end <= MAX_TIME_S * rate:
            piece.fault("start", piece.raw("start"), f"a range of frames from {first} on")
            continue
        ours = _ours(item)
        shown = {"range": f"{start} {end}", "names": "\n".join(labels)}
        if ours is not None and labels == [ours.label or ours.step_id]:
            # Our first versions wrote the label alone, or the id of the step.
            del shown["names"]
        times = rounded(start / rate), rounded(end / rate)
        key = f"{item.identifier('id')}-{place}" if place else item.identifier("id")
        rows.append(Row(piece.place, key, times, shown, ours, item.text("from_name")))
    return rows


def _ours(item: Entry) -> Segment | None:
    """The segment that PIE-V wrote into a result; None where another tool made it."""
    meta = item.value.get("meta") if isinstance(item.value, dict) else None
    texts: Any = meta.get("text") if isinstance(meta, dict) else None
    if not isinstance(texts, list) or not texts or not is_remark(str(texts[0])):
        return None
    return unpacked(str(texts[0]), item.place, item.faults, (None, None))
