"""BORIS: aggregated events have one row per state, tabular events one for its start and its stop.

Columns are found by name, because versions of BORIS differ in the others. Written files hold
aggregated events. Source: the BORIS user guide, "Export events".
"""

import csv
import io
from collections.abc import Iterable
from pathlib import Path

from annotation.engine.corpus.formats.csv_tables import TableRow, read_csv_table
from annotation.engine.corpus.formats.errors import Faults, fault_of_file
from segments.engine.model import Segment
from segments.formats.exchange import SegmentedRecording, SegmentFile, Settings, Written
from segments.formats.packing import packed, unpacked

TITLE = "BORIS events"
SUFFIX = ".csv"
TRACK = "steps"
COLUMNS = (
    "Observation id", "Subject", "Behavior", "Behavior type", "Start (s)", "Stop (s)",
    "Duration (s)", "Comment start", "Comment stop",
)  # fmt: skip
AGGREGATED = ("Observation id", "Behavior", "Start (s)", "Stop (s)")
TABULAR = ("Observation id", "Behavior", "Behavior type", "Time")
POINT, STATE = "POINT", "STATE"


def read(path: Path, settings: Settings) -> SegmentFile:
    """Subjects become annotators, behaviours labels."""
    faults = Faults(path.name)
    header, lines = read_csv_table(path, faults)
    kind = next((columns for columns in (AGGREGATED, TABULAR) if set(columns) <= set(header)), None)
    if kind is None:
        expected = f"the columns {', '.join(AGGREGATED)}, or {', '.join(TABULAR)}"
        raise fault_of_file(path.name, ", ".join(header), expected, place="line 1")
    rows = list(lines)
    by_owner: dict[tuple[str, str], list[Segment]] = {}
    for row, segment in _aggregated(rows) if kind is AGGREGATED else _paired(rows):
        by_owner.setdefault(_owner(row), []).append(segment)
    faults.raise_if_any()
    return SegmentFile(
        tuple(
            SegmentedRecording(uid, tuple(segments), annotator=subject)
            for (uid, subject), segments in by_owner.items()
        )
    )


def _owner(row: TableRow) -> tuple[str, str]:
    return row.cells["Observation id"], row.cells.get("Subject", "")


def _aggregated(rows: Iterable[TableRow]) -> Iterable[tuple[TableRow, Segment]]:
    for row in rows:
        start_s, end_s = row.seconds("Start (s)"), row.seconds("Stop (s)")
        if end_s < start_s:
            row.fault("Stop (s)", f"a time not before the start, {start_s}")
        ours = row.cells.get("Comment stop", "")
        if ours.startswith('{"key": '):
            yield row, unpacked(ours, row.place, row.faults, (start_s, end_s))
            continue
        text = row.cells.get("Comment start", "")
        label = row.cells["Behavior"]
        yield row, Segment(f"b{row.line}", TRACK, start_s, end_s, label=label, text=text)


def _paired(rows: Iterable[TableRow]) -> Iterable[tuple[TableRow, Segment]]:
    """A state lasts from its START to the next STOP of the same behaviour and subject."""
    running: dict[tuple[tuple[str, str], str], TableRow] = {}
    for row in rows:
        name = row.cells["Behavior"]
        what = _owner(row), name
        kind = row.cells["Behavior type"].strip().upper()
        time_s = row.seconds("Time")
        if kind == POINT:
            yield row, Segment(f"b{row.line}", TRACK, time_s, time_s, label=name)
        elif kind == "START":
            if what in running:
                row.fault("Behavior type", f"the STOP of line {running[what].line} before")
            running[what] = row
        elif kind == "STOP" and what in running:
            begun = running.pop(what)
            start_s = begun.seconds("Time")
            if time_s < start_s:
                row.fault("Time", f"a time not before its START, {start_s}")
            yield row, Segment(f"b{begun.line}", TRACK, start_s, time_s, label=name)
        else:
            row.fault("Behavior type", "POINT, START, or the STOP of a state that has begun")
    for row in running.values():
        row.fault("Behavior type", "a STOP after it")


def write(file: SegmentFile, settings: Settings) -> Written:
    """Segments without times are left out; the notes count them."""
    out = io.StringIO()
    rows = csv.writer(out)
    rows.writerow(COLUMNS)
    lost = 0
    for recording in file.recordings:
        for item in recording.shown:
            if item.start_s is None:
                lost += 1
                continue
            start_s, end_s = item.span
            name = item.label or recording.steps.get(item.step_id, item.step_id)
            kind = POINT if start_s == end_s else STATE
            times = (repr(start_s), repr(end_s), f"{end_s - start_s:.6f}")
            row = (recording.uid, recording.annotator, name, kind, *times, item.text, packed(item))
            rows.writerow(row)
    notes = (f"segments without times left out: {lost}",) if lost else ()
    return Written(out.getvalue(), notes)
