"""VIA 3 (VGG Image Annotator), its CSV: [start, end] in seconds, options of attributes by id.

Attributes, recordings and what has no time stand in comments before the rows. Source: the export of
VIA 3 (project_export_csv) and files made with it.
"""

import csv
import io
import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from annotation.engine.corpus.formats.csv_tables import filled_rows
from annotation.engine.corpus.formats.errors import Faults, fault_of_file
from annotation.engine.corpus.formats.reading import read_text
from segments.engine.model import Segment
from segments.formats.exchange import SegmentedRecording, SegmentFile, Settings, Written
from segments.formats.packing import (
    json_of,
    packed,
    packed_recording,
    unpacked,
    unpacked_recording,
)

TITLE = "VIA 3"
SUFFIX = ".csv"
TRACK = "steps"
HEADER = "metadata_id,file_list,flags,temporal_coordinates,spatial_coordinates,metadata"
ATTRIBUTE, RECORDING, UNTIMED = "# ATTRIBUTE = ", "# PIEV_RECORDING = ", "# PIEV_UNTIMED = "
# An attribute of a span of time, and the numbers that VIA gives to kinds of fields.
SPAN, TEXT, SELECT = "FILE1_Z2_XY0", 1, 4
STEP, LABEL, WORDS, DATA = "1", "2", "3", "4"


def write(file: SegmentFile, settings: Settings) -> Written:
    """Recordings are told apart by the names of their files."""
    steps: dict[str, str] = {}
    labels: dict[str, str] = {}
    for recording in file.recordings:
        for item in recording.shown:
            name = f"{item.step_id} {recording.steps.get(item.step_id, '')}".strip()
            steps.setdefault(item.step_id, name)
            labels.setdefault(item.label, item.label)
    options = {STEP: list(steps.values()), LABEL: list(labels.values())}
    attributes = {
        number: {
            "aname": name,
            "anchor_id": SPAN,
            "type": SELECT if number in options else TEXT,
            "desc": "",
            "options": {str(place): text for place, text in enumerate(options.get(number, []))},
            "default_option_id": "",
        }
        for number, name in ((STEP, "Step"), (LABEL, "Label"), (WORDS, "Text"), (DATA, "PIE-V"))
    }
    out = io.StringIO()
    out.write("# Made by PIE-V for VIA 3\n")
    out.write(f"{ATTRIBUTE}{json.dumps(attributes, ensure_ascii=False)}\n")
    for recording in file.recordings:
        out.write(f"{RECORDING}{packed_recording(recording)}\n")
        for item in recording.shown:
            if item.start_s is None:
                owner = json.dumps([recording.uid, recording.annotator])
                out.write(f"{UNTIMED}{owner} {packed(item)}\n")
    out.write(f"# CSV_HEADER = {HEADER}\n")
    rows = csv.writer(out, lineterminator="\n", quoting=csv.QUOTE_NONNUMERIC)
    for number, recording in enumerate(file.recordings):
        for item in recording.shown:
            if item.start_s is None:
                continue
            start_s, end_s = item.span
            metadata = {
                STEP: str(list(steps).index(item.step_id)),
                LABEL: str(list(labels).index(item.label)),
                WORDS: item.text,
                DATA: packed(item),
            }
            times = json.dumps([start_s] if start_s == end_s else [start_s, end_s])
            owner = json.dumps([recording.uid], ensure_ascii=False)
            metadata_text = json.dumps(metadata, ensure_ascii=False)
            rows.writerow([f"{number}_{item.key}", owner, 0, times, "[]", metadata_text])
    return Written(out.getvalue())


def read(path: Path, settings: Settings) -> SegmentFile:
    """Rows of other tools become steps, with the values of their attributes as text."""
    text = read_text(path)
    # Not splitlines, which would also split a text at separators such as U+2028.
    lines = text.replace("\r\n", "\n").split("\n")
    comments = [line for line in lines if line.startswith("# ")]
    if f"# CSV_HEADER = {HEADER}" not in [line.strip() for line in comments]:
        raise fault_of_file(path.name, text[:40], f"a comment CSV_HEADER = {HEADER}")
    faults = Faults(path.name)
    described = [line.removeprefix(RECORDING) for line in comments if line.startswith(RECORDING)]
    named = next((line for line in comments if line.startswith(ATTRIBUTE)), ATTRIBUTE + "{}")
    attributes = json_of(named.removeprefix(ATTRIBUTE), "ATTRIBUTE", faults, dict)
    about = {str(number): line for number, line in enumerate(described)}
    by_owner: dict[str, list[Segment]] = {owner: [] for owner in about}
    uids: dict[str, str] = {}
    body = "\n".join("" if line.startswith("# ") else line for line in lines)
    for line, cells in filled_rows(body, path.name):
        place = f"line {line}"
        if len(cells) != 6:
            faults.add(place, "", len(cells), "6 cells")
            continue
        files = json_of(cells[1], place, faults, list)
        uid = str(files[0]) if files else ""
        owner = cells[0].partition("_")[0] if described else uid
        uids[owner] = uid
        by_owner.setdefault(owner, []).append(_segment(cells, place, faults, attributes))
    recordings = []
    for owner, segments in by_owner.items():
        words = about[owner] if owner in about else json.dumps({"uid": uids[owner]})
        recordings.append(unpacked_recording(words, owner, faults, segments))
    recordings = [_with_untimed(item, comments, faults) for item in recordings]
    faults.raise_if_any()
    return SegmentFile(tuple(recordings))


def _segment(
    cells: list[str], place: str, faults: Faults, attributes: Mapping[str, Any]
) -> Segment:
    times = json_of(cells[3], place, faults, list)
    is_right = 1 <= len(times) <= 2 and all(
        isinstance(time_s, int | float) and not isinstance(time_s, bool) for time_s in times
    )
    if not is_right or not 0 <= times[0] <= times[-1]:
        expected = "[start, end] or [moment] in seconds"
        faults.add(place, "temporal_coordinates", cells[3], expected)
        return Segment(cells[0], TRACK, 0, 0)
    metadata = json_of(cells[5], place, faults, dict)
    if str(metadata.get(DATA, "")).startswith('{"key": '):
        return unpacked(metadata[DATA], place, faults, (times[0], times[-1]))
    words = []
    for number, value in metadata.items():
        attribute = attributes.get(number)
        options = attribute.get("options") if isinstance(attribute, dict) else None
        if isinstance(options, dict) and isinstance(value, str):
            value = options.get(value, value)
        words.append(str(value))
    return Segment(cells[0], TRACK, times[0], times[-1], text="; ".join(filter(None, words)))


def _with_untimed(
    recording: SegmentedRecording, comments: list[str], faults: Faults
) -> SegmentedRecording:
    start = f"{UNTIMED}{json.dumps([recording.uid, recording.annotator])} "
    untimed = [
        unpacked(line.removeprefix(start), "PIEV_UNTIMED", faults, (None, None))
        for line in comments
        if line.startswith(start)
    ]
    return replace(recording, segments=(*recording.segments, *untimed))
