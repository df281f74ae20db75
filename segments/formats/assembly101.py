"""Assembly101 mistake annotations: a CSV for each recording, whole frames at 30 a second.

A row is start, end, verb, this, that, label, remark. Unchanged rows are written as they were read.
"""

from collections import Counter
from pathlib import Path

from annotation.engine.corpus.formats.assembly101 import FRAME_NUMBER, FRAME_RATE, LABELS
from annotation.engine.corpus.formats.csv_tables import read_csv_rows
from annotation.engine.corpus.formats.errors import Faults
from annotation.engine.corpus.formats.native_labels import EGOOOPS_PROPOSALS
from annotation.engine.csv_cells import csv_lines, restore_cell
from annotation.engine.taxonomy import TaxonomyLabel
from segments.engine.model import Segment
from segments.formats.exchange import SegmentedRecording, SegmentFile, Settings, Written
from segments.formats.packing import note_of_moved, notes_of_counts

TITLE = "Assembly101 mistakes"
SUFFIX = ".csv"
ONE_RECORDING = True
TRACK = "steps"
# What the file calls a step without a mistake, one with, and one that mends an earlier one.
CORRECT, MISTAKE, CORRECTION = LABELS


def read(path: Path, settings: Settings) -> SegmentFile:
    faults = Faults(path.name)
    segments, rows, steps = [], {}, {}
    for place, (line, written) in enumerate(read_csv_rows(path)):
        where, cells = f"line {line}", [restore_cell(cell) for cell in written]
        if len(cells) not in (6, 7):
            expected = "6 or 7: start, end, verb, this, that, label, remark"
            faults.add(where, "number of columns", len(cells), expected)
            continue
        for name, cell in zip(("start", "end"), cells[:2], strict=True):
            if not FRAME_NUMBER.fullmatch(cell):
                faults.add(where, name, cell, "a frame number")
        if cells[5] not in LABELS:
            faults.add(where, "label", cells[5], " or ".join(LABELS))
        segment = _segment(f"r{place}", cells)
        if segment.span[1] < segment.span[0]:
            faults.add(where, "end", cells[1], f"at least {cells[0]}")
        segments.append(segment)
        rows[segment.key] = cells
        steps[segment.step_id] = " ".join(cell for cell in cells[2:5] if cell)
    faults.raise_if_any()
    return SegmentFile((SegmentedRecording(path.stem, tuple(segments), steps=steps),), rows)


def _segment(key: str, cells: list[str]) -> Segment:
    frames = [int(cell) if FRAME_NUMBER.fullmatch(cell) else 0 for cell in cells[:2]]
    start_s, end_s = (frame / FRAME_RATE for frame in frames)
    label = "" if cells[5] == CORRECT else cells[5]
    step_id, text = ",".join(cells[2:5]), "".join(cells[6:])
    return Segment(key, TRACK, start_s, end_s, step_id, label, text)


def write(file: SegmentFile, settings: Settings) -> Written:
    """A file of one recording; raises ValueError for several.

    Steps have to be "verb,this,that"; raises ValueError otherwise.
    """
    [recording] = file.recordings
    rows: list[list[str | int]] = []
    moved = 0
    lost: Counter[str] = Counter()
    for item in recording.shown:
        if item.track != TRACK or item.start_s is None:
            lost["segments of other tracks or without times left out"] += 1
            continue
        old = (file.original or {}).get(item.key)
        if old is not None:
            before = _segment(item.key, old)
            if (before.span, before.step_id, before.label, before.text) == (
                item.span, item.step_id, item.label, item.text,
            ):  # fmt: skip
                rows.append(old)
                continue
        action = item.step_id.split(",")
        if len(action) != 3:
            raise ValueError(f"step of {item.key} is {item.step_id!r}; expected verb,this,that")
        frames = [round(time_s * FRAME_RATE) for time_s in item.span]
        moved += sum(
            frame / FRAME_RATE != time_s for frame, time_s in zip(frames, item.span, strict=True)
        )
        label, words = item.label or CORRECT, item.text
        if label not in LABELS:
            words = ": ".join(part for part in (label, words) if part)
            is_correction = EGOOOPS_PROPOSALS.get(label) is TaxonomyLabel.CORRECTION
            label = CORRECTION if is_correction else MISTAKE
            lost["labels of other schemes, written before the remark"] += 1
        rows.append([*frames, *action, label, " ".join(words.split())])
    notes = note_of_moved(moved, f"frame at {FRAME_RATE} a second")
    return Written("".join(csv_lines(rows)), notes + notes_of_counts(lost))
