"""BORIS: aggregated events, one row per state; tabular events, a row for its start and its stop.

Columns are found by their names, as versions of BORIS differ in what else they write. Source: the
BORIS user guide, "Export events". What is written are aggregated events.
"""

import csv
import io
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from annotation.engine.formats.reading import Faults, fault_of_file, read_csv_rows
from annotation.engine.segment_formats.exchange import (
    SegmentedRecording,
    SegmentFile,
    Settings,
    Written,
)
from annotation.engine.segment_formats.packing import packed, unpacked
from annotation.engine.segments.model import Segment

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


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a file with its line; cells by column."""

    line: int
    cells: Mapping[str, str]
    faults: Faults

    def fault(self, field: str, expected: str) -> None:
        value = self.cells.get(field, "")
        self.faults.add(f"line {self.line}", field, value, expected)

    def seconds(self, field: str) -> float:
        try:
            value = float(self.cells[field])
        except ValueError:
            value = math.nan
        if not (math.isfinite(value) and value >= 0) or "_" in self.cells[field]:
            self.fault(field, "seconds with a point, 0 or more")
            return 0.0
        return value

    @property
    def owner(self) -> tuple[str, str]:
        return self.cells["Observation id"], self.cells.get("Subject", "")


def read(path: Path, settings: Settings) -> SegmentFile:
    """Subjects are annotators; behaviours of others become labels."""
    table = read_csv_rows(path)
    header = [cell.strip() for cell in table[0][1]] if table else []
    kind = next((it for it in (AGGREGATED, TABULAR) if set(it) <= set(header)), None)
    if kind is None:
        expected = f"the columns {', '.join(AGGREGATED)}, or {', '.join(TABULAR)}"
        raise fault_of_file(path.name, ", ".join(header), expected, place="line 1")
    faults = Faults(path.name)
    rows = []
    for line, cells in table[1:]:
        if len(cells) == len(header):
            rows.append(Row(line, dict(zip(header, cells, strict=True)), faults))
        else:
            expected = f"{len(header)} cells"
            faults.add(f"line {line}", "", len(cells), expected)
    found: dict[tuple[str, str], list[Segment]] = {}
    for row, segment in _aggregated(rows) if kind is AGGREGATED else _paired(rows):
        found.setdefault(row.owner, []).append(segment)
    faults.raise_if_any()
    return SegmentFile(
        tuple(
            SegmentedRecording(uid, tuple(segments), annotator=subject)
            for (uid, subject), segments in found.items()
        )
    )


def _aggregated(rows: Iterable[Row]) -> Iterable[tuple[Row, Segment]]:
    for row in rows:
        start_s, end_s = row.seconds("Start (s)"), row.seconds("Stop (s)")
        if end_s < start_s:
            row.fault("Stop (s)", f"a time not before the start, {start_s}")
        ours = row.cells.get("Comment stop", "")
        if ours.startswith('{"key": '):
            yield row, unpacked(ours, f"line {row.line}", row.faults, (start_s, end_s))
            continue
        text = row.cells.get("Comment start", "")
        label = row.cells["Behavior"]
        yield row, Segment(f"b{row.line}", TRACK, start_s, end_s, label=label, text=text)


def _paired(rows: Iterable[Row]) -> Iterable[tuple[Row, Segment]]:
    """A state lasts from its START to the next STOP of the same behaviour and subject."""
    running: dict[tuple[tuple[str, str], str], Row] = {}
    for row in rows:
        name = row.cells["Behavior"]
        what = row.owner, name
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
    """Segments without times have no row; the notes count them."""
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
