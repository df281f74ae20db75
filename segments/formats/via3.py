"""VIA 3 (VGG Image Annotator), its CSV: [start, end] in seconds, options of attributes by id.

Attributes, recordings and what has no time stand in comments before the rows. Source: the export of
VIA 3 (project_export_csv) and files made with it.
"""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from annotation.engine.corpus.formats.csv_tables import filled_rows
from annotation.engine.corpus.formats.errors import Faults, fault_of_file
from annotation.engine.corpus.formats.reading import read_text
from annotation.engine.csv_cells import csv_lines
from segments.engine.model import Segment
from segments.formats.exchange import SegmentedRecording, SegmentFile, Settings, Written
from segments.formats.packing import (
    is_remark,
    json_of,
    packed,
    packed_recording,
    unpacked,
    unpacked_recording,
)
from segments.formats.returning import Row, meaning_of_columns, returned, step_name

TITLE = "VIA 3"
SUFFIX = ".csv"
HEADER = "metadata_id,file_list,flags,temporal_coordinates,spatial_coordinates,metadata"
ATTRIBUTE, RECORDING, UNTIMED = "# ATTRIBUTE = ", "# PIEV_RECORDING = ", "# PIEV_UNTIMED = "
# An attribute of a span of time, and the numbers that VIA gives to kinds of fields.
SPAN, TEXT, SELECT = "FILE1_Z2_XY0", 1, 4
STEP, LABEL, WORDS, DATA = "1", "2", "3", "4"
TEXT_IN_JSON = re.compile(r'"(?:[^"\\]|\\.)*"')


def write(file: SegmentFile, settings: Settings) -> Written:
    """Recordings are told apart by the names of their files."""
    # By its words: procedures of one file may call different steps by the same id.
    steps: dict[str, int] = {}
    labels: dict[str, int] = {}
    for recording in file.recordings:
        for item in recording.shown:
            steps.setdefault(step_name(item, recording.steps), len(steps))
            labels.setdefault(item.label, len(labels))
    options = {STEP: list(steps), LABEL: list(labels)}
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
    lines = ["# Made by PIE-V for VIA 3\n"]
    lines.append(f"{ATTRIBUTE}{_in_one_cell(json.dumps(attributes, ensure_ascii=False))}\n")
    for recording in file.recordings:
        lines.append(f"{RECORDING}{_in_one_cell(packed_recording(recording))}\n")
        for item in recording.shown:
            if item.start_s is None:
                owner = json.dumps([recording.uid, recording.annotator])
                lines.append(f"{UNTIMED}{_in_one_cell(f'{owner} {packed(item)}')}\n")
    lines.append(f"# CSV_HEADER = {HEADER}\n")
    rows: list[tuple[str | int, ...]] = []
    for number, recording in enumerate(file.recordings):
        for item in recording.shown:
            if item.start_s is None:
                continue
            start_s, end_s = item.span
            metadata = {
                STEP: str(steps[step_name(item, recording.steps)]),
                LABEL: str(labels[item.label]),
                WORDS: item.text,
                DATA: packed(item),
            }
            times = json.dumps([start_s] if start_s == end_s else [start_s, end_s])
            owner = _in_one_cell(json.dumps([recording.uid], ensure_ascii=False))
            metadata_text = _in_one_cell(json.dumps(metadata, ensure_ascii=False))
            rows.append((f"{number}_{item.key}", owner, 0, times, "[]", metadata_text))
    return Written("".join([*lines, *csv_lines(rows, quotes_text=True)]))


def _in_one_cell(document: str) -> str:
    """JSON in whose texts no spreadsheet finds the end of a cell, after which a formula begins."""
    return TEXT_IN_JSON.sub(
        lambda text: text[0].replace(",", "\\u002c").replace(";", "\\u003b"), document
    )


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
    about = [unpacked_recording(words, "PIEV_RECORDING", faults) for words in described]
    named = next((line for line in comments if line.startswith(ATTRIBUTE)), ATTRIBUTE + "{}")
    attributes = json_of(named.removeprefix(ATTRIBUTE), "ATTRIBUTE", faults, dict)
    by_owner: dict[int, list[Row]] = {number: [] for number in range(len(about))}
    body = "\n".join("" if line.startswith("# ") else line for line in lines)
    for line, cells in filled_rows(body, path.name):
        place = f"line {line}"
        if len(cells) != 6:
            faults.add(place, "", len(cells), "6 cells")
            continue
        files = json_of(cells[1], place, faults, list)
        owner = _owner(str(files[0]) if files else "", cells[0], about)
        row = _row(cells, place, faults, attributes, is_ours=bool(described))
        by_owner.setdefault(owner, []).append(row)
    recordings: list[SegmentedRecording] = []
    notes: list[str] = []
    for owner, rows in by_owner.items():
        recording, changes = returned(
            about[owner],
            rows,
            _untimed(about[owner], comments, faults),
            shown_of=_shown,
            meaning_of=meaning_of_columns,
        )
        recordings.append(recording)
        notes += changes
    faults.raise_if_any()
    return SegmentFile(tuple(recordings), notes=tuple(notes))


def _owner(uid: str, row_id: str, about: list[SegmentedRecording]) -> int:
    """The place in `about` of a row's recording, which is added where it is not there yet.

    Rows that people add have numbers of VIA's own, which tell people of one recording apart only
    in our rows.
    """
    places = [place for place, item in enumerate(about) if item.uid == uid]
    if not places:
        about.append(SegmentedRecording(uid, ()))
        return len(about) - 1
    return next((place for place in places if str(place) == row_id.partition("_")[0]), places[0])


def _shown(segment: Segment, steps: Mapping[str, str]) -> dict[str, str]:
    return {"name": step_name(segment, steps), "label": segment.label, "text": segment.text}


def _row(
    cells: list[str], place: str, faults: Faults, attributes: Mapping[str, Any], *, is_ours: bool
) -> Row:
    times = json_of(cells[3], place, faults, list)
    is_right = 1 <= len(times) <= 2 and all(
        isinstance(time_s, int | float) and not isinstance(time_s, bool) for time_s in times
    )
    if not is_right or not 0 <= times[0] <= times[-1]:
        expected = "[start, end] or [moment] in seconds"
        faults.add(place, "temporal_coordinates", cells[3], expected)
        return Row(place, cells[0], (0, 0), {})
    span = times[0], times[-1]
    metadata = json_of(cells[5], place, faults, dict)
    words = {}
    for number, value in metadata.items():
        attribute = attributes.get(number)
        options = attribute.get("options") if isinstance(attribute, dict) else None
        if isinstance(options, dict) and isinstance(value, str):
            value = options.get(value, value)
        words[number] = str(value)
    if not is_ours:
        return Row(place, cells[0], span, {"text": "; ".join(filter(None, words.values()))})
    remark = words.get(DATA, "")
    ours = unpacked(remark, place, faults, span) if is_remark(remark) else None
    named = {"name": STEP, "label": LABEL, "text": WORDS}
    shown = {name: words.get(number, "") for name, number in named.items()}
    return Row(place, cells[0], span, shown, ours)


def _untimed(recording: SegmentedRecording, comments: list[str], faults: Faults) -> list[Segment]:
    start = f"{UNTIMED}{json.dumps([recording.uid, recording.annotator])} "
    return [
        unpacked(line.removeprefix(start), "PIEV_UNTIMED", faults, (None, None))
        for line in comments
        if line.startswith(start)
    ]
