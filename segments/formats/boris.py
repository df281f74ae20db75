"""BORIS: aggregated events have one row per state, tabular events one for its start and its stop.

Columns are found by name, because versions of BORIS differ in the others. Written files hold
aggregated events: the step as behaviour and its label as modifier. Source: the BORIS user guide,
"Export events".
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from annotation.engine.corpus.formats.csv_tables import TableRow, read_csv_table
from annotation.engine.corpus.formats.errors import Faults, fault_of_file
from annotation.engine.csv_cells import csv_lines, restore_cell
from segments.engine.model import Segment
from segments.formats.exchange import SegmentedRecording, SegmentFile, Settings, Written
from segments.formats.packing import is_remark, json_of, notes_of_counts, packed, unpacked
from segments.formats.returning import Row, Vocabulary, names_of, returned

TITLE = "BORIS events"
SUFFIX = ".csv"
MODIFIERS = "Modifiers"
# BORIS has one for each observation and repeats it in each of its rows.
DESCRIPTION = "Description"
COLUMNS = (
    "Observation id", DESCRIPTION, "Subject", "Behavior", MODIFIERS, "Behavior type", "Start (s)",
    "Stop (s)", "Duration (s)", "Comment start", "Comment stop",
)  # fmt: skip
AGGREGATED = ("Observation id", "Behavior", "Start (s)", "Stop (s)")
TABULAR = ("Observation id", "Behavior", "Behavior type", "Time")
POINT, STATE = "POINT", "STATE"


def read(path: Path, settings: Settings) -> SegmentFile:
    """Subjects become annotators, behaviours labels, which may be the words of steps."""
    faults = Faults(path.name)
    header, lines = read_csv_table(path, faults)
    kind = next((columns for columns in (AGGREGATED, TABULAR) if set(columns) <= set(header)), None)
    if kind is None:
        expected = f"the columns {', '.join(AGGREGATED)}, or {', '.join(TABULAR)}"
        raise fault_of_file(path.name, ", ".join(header), expected, place="line 1")
    rows = [
        replace(row, cells={name: restore_cell(cell) for name, cell in row.cells.items()})
        for row in lines
    ]
    by_owner: dict[tuple[str, str], list[Row]] = {}
    # A row that somebody adds may name a step of another recording; those of its own come first.
    steps: dict[str, str] = {}
    own_steps: dict[str, dict[str, str]] = defaultdict(dict)
    for row, segment in _aggregated(rows, own_steps) if kind is AGGREGATED else _paired(rows):
        by_owner.setdefault(_owner(row), []).append(segment)
    for of_recording in own_steps.values():
        steps = of_recording | steps
    is_ours = any(row.remark for of_one in by_owner.values() for row in of_one)
    recordings: list[SegmentedRecording] = []
    notes: list[str] = []
    for (uid, subject), of_one in by_owner.items():
        recording, changes = returned(
            SegmentedRecording(uid, (), annotator=subject, steps=steps | own_steps[uid]),
            of_one,
            (),
            shown_of=_shown if MODIFIERS in header else _shown_before,
            meaning_of=_meaning if is_ours else _meaning_of_others,
        )
        recordings.append(recording)
        notes += changes
    faults.raise_if_any()
    return SegmentFile(tuple(recordings), notes=tuple(notes))


def _shown(segment: Segment, steps: Mapping[str, str]) -> dict[str, str]:
    return {"names": "\n".join(names_of(segment, steps)), "text": segment.text}


def _shown_before(segment: Segment, steps: Mapping[str, str]) -> dict[str, str]:
    """What files of our first versions show: they name a step only where there is no label."""
    return {"names": segment.label, "text": segment.text}


def _meaning(shown: Mapping[str, str], row: Row, vocabulary: Vocabulary) -> dict[str, str]:
    fields = {"text": shown["text"]} if "text" in shown else {}
    if "names" in shown:
        fields |= vocabulary.of_names(shown["names"].split("\n"), row)
    return fields


def _meaning_of_others(
    shown: Mapping[str, str], row: Row, vocabulary: Vocabulary
) -> dict[str, str]:
    return {"label": shown["names"].partition("\n")[0], "text": shown["text"]}


def _owner(row: TableRow) -> tuple[str, str]:
    return row.cells["Observation id"], row.cells.get("Subject", "")


def _aggregated(
    rows: Iterable[TableRow], steps: Mapping[str, dict[str, str]]
) -> Iterable[tuple[TableRow, Row]]:
    """The rows, whose remarks add the words of their steps to `steps` of their recording."""
    for row in rows:
        start_s, end_s = row.seconds("Start (s)"), row.seconds("Stop (s)")
        if end_s < start_s:
            row.fault("Stop (s)", f"a time not before the start, {start_s}")
        remark, segment = row.cells.get("Comment stop", ""), None
        names = [row.cells["Behavior"], row.cells.get(MODIFIERS, "")]
        if is_remark(remark):
            segment = unpacked(remark, row.place, row.faults, (start_s, end_s))
            words = json_of(remark, row.place, row.faults, dict).get("step")
            if isinstance(words, str):
                steps[row.cells["Observation id"]].setdefault(segment.step_id, words)
            if MODIFIERS not in row.cells and not segment.label:
                # The remark of our first versions has no words to compare with.
                names = []
        shown = {
            "names": "\n".join(" ".join(name.split()) for name in names if name.strip()),
            "text": row.cells.get("Comment start", ""),
        }
        yield row, Row(row.place, f"b{row.line}", (start_s, end_s), shown, segment)


def _paired(rows: Iterable[TableRow]) -> Iterable[tuple[TableRow, Row]]:
    """A state lasts from its START to the next STOP of the same behaviour and subject."""
    running: dict[tuple[tuple[str, str], str], TableRow] = {}
    for row in rows:
        name = row.cells["Behavior"]
        what = _owner(row), name
        kind = row.cells["Behavior type"].strip().upper()
        time_s = row.seconds("Time")
        shown = {"names": name, "text": ""}
        if kind == POINT:
            yield row, Row(row.place, f"b{row.line}", (time_s, time_s), shown)
        elif kind == "START":
            if what in running:
                row.fault("Behavior type", f"the STOP of line {running[what].line} before")
            running[what] = row
        elif kind == "STOP" and what in running:
            begun = running.pop(what)
            start_s = begun.seconds("Time")
            if time_s < start_s:
                row.fault("Time", f"a time not before its START, {start_s}")
            yield row, Row(row.place, f"b{begun.line}", (start_s, time_s), shown)
        else:
            row.fault("Behavior type", "POINT, START, or the STOP of a state that has begun")
    for row in running.values():
        row.fault("Behavior type", "a STOP after it")


def write(file: SegmentFile, settings: Settings) -> Written:
    """Segments without times are left out; notes and descriptions of observations count them."""
    rows: list[tuple[str, ...]] = [COLUMNS]
    lost = 0
    for recording in file.recordings:
        timed = [item for item in recording.shown if item.start_s is not None]
        own_lost = len(recording.shown) - len(timed)
        lost += own_lost
        description = "; ".join(_notes_of(own_lost))
        for item in timed:
            start_s, end_s = item.span
            behaviour, *modifiers = names_of(item, recording.steps) or [""]
            kind = POINT if start_s == end_s else STATE
            times = (repr(start_s), repr(end_s), f"{end_s - start_s:.6f}")
            words = recording.steps.get(item.step_id)
            remark = packed(item) if words is None else packed(item, step=words)
            rows.append(
                (recording.uid, description, recording.annotator, behaviour, "".join(modifiers),
                 kind, *times, item.text, remark)
            )  # fmt: skip
    return Written("".join(csv_lines(rows, ending="\r\n")), _notes_of(lost))


def _notes_of(lost: int) -> tuple[str, ...]:
    return notes_of_counts({"segments without times left out": lost})
