"""Files with answers from elsewhere, and templates for them.

A CSV file has a row per answer, interval, moment of speech or frame; a JSON lines file an object
per item; an .npz archive an array per item. Answers are matched with items by `key`, never by
position, or by the recording's name if it has only one item.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from annotation.engine.corpus.formats.csv_tables import BrokenTableError, csv_rows
from annotation.engine.corpus.formats.errors import Faults, Problem
from annotation.engine.corpus.formats.reading import decode, object_of, text_fault
from annotation.engine.csv_cells import csv_lines, restore_cell
from benchmarks.engine.answers.arrays import columns_of_file
from benchmarks.engine.answers.values import (
    INTERVAL_FIELDS,
    SAID_FIELDS,
    ValueFaultError,
    value_of,
)
from benchmarks.engine.task import AnswerShape, Item, Task, Value

COLUMNS = {
    AnswerShape.ONE: ("key", "answer", "score"),
    AnswerShape.INTERVALS: ("key", *INTERVAL_FIELDS),
    AnswerShape.STREAM: ("key", "answer", "text", "score"),
    AnswerShape.SPEECH: ("key", *SAID_FIELDS),
    AnswerShape.TEXT: ("key", "text"),
    AnswerShape.FRAMES: ("key", "frame", "value"),
}
NEEDED = {
    AnswerShape.TEXT: {"key", "text"},
    AnswerShape.FRAMES: {"key", "frame", "value"},
    AnswerShape.INTERVALS: {"key", "start_s"},
    AnswerShape.SPEECH: {"key", *SAID_FIELDS},
}
# The label, or the words, of a row that says that a recording has no interval, or no speech.
NOTHING = "none"
# The answers that a file has a row for each entry of: by what name, and where `NOTHING` stands.
LISTED = {AnswerShape.INTERVALS: ("intervals", "label"), AnswerShape.SPEECH: ("said", "text")}
ARRAYS, LINES = (".npz", ".npy"), (".jsonl", ".ndjson", ".json")
# A file with more faults than this is the wrong file, which the first ones show.
MOST_PROBLEMS = 1000


@dataclass(frozen=True, slots=True)
class AnswerFile:
    """The answers of a file by the keys of their items, and the keys without an answer."""

    values: Mapping[str, Value]
    missing: tuple[str, ...]


def read_answers(
    task: Task,
    items: Mapping[str, Item],
    name: str,
    content: bytes,
    *,
    counts_missing: bool = False,
) -> AnswerFile:
    """The answers in a file; raises FormatError with every fault.

    An item without an answer is a fault unless `counts_missing`; a file without any answer always
    is. A template row that was left empty is no answer.
    """
    faults = Faults(name, most=MOST_PROBLEMS)
    values: dict[str, Value] = {}
    seen: dict[str, str] = {}
    # A recording with one item may be named instead of the item.
    named = {key: str(item.payload.get("recording_id", "")) for key, item in items.items()}
    counts = Counter(named.values())
    key_of_recording = {uid: key for key, uid in named.items() if uid and counts[uid] == 1}
    for line in _lines(task, content, faults):
        key = line.key if line.key in items else key_of_recording.get(line.key, line.key)
        if key not in items:
            faults.add(line.place, "key", key, "the key of an item of this set")
        elif key in seen:
            faults.add(line.place, "key", key, f"each key once; it is in {seen[key]} too")
        else:
            seen[key] = line.place
            if line.fields is None:
                continue
            try:
                values[key] = value_of(task, items[key], line.fields)
            except ValueFaultError as error:
                place = line.place_of(error.entry)
                sentence = f"{name}, {place}: {error.words}" if error.words else ""
                faults.add(place, error.field, error.value, error.expected, sentence)
    missing = tuple(key for key in items if key not in values)
    if missing and not (counts_missing and values) and not faults.problems:
        shown = ", ".join(missing[:5]) + (", ..." if len(missing) > 5 else "")
        value = f"{len(missing)} of {len(items)} items have no answer ({shown})"
        expected = "an answer to every item, or the choice to count them as wrong"
        if counts_missing:
            expected = "an answer to at least one"
        faults.problems.append(Problem(name, "", "", value, expected))
    faults.raise_if_any()
    return AnswerFile(values, missing)


class AnswerLine(NamedTuple):
    """A file's answer to a key and its place in the file; `places` are those of its entries."""

    place: str
    key: str
    fields: Mapping[str, Any] | None
    places: Sequence[str] = ()

    def place_of(self, entry: int | None) -> str:
        """The place of an interval or a moment, or of the whole answer."""
        if entry is None:
            return self.place
        what = "moment" if "said" in (self.fields or {}) else "interval"
        return self.places[entry] if self.places else f"{self.place}, {what} {entry + 1}"


def _lines(task: Task, content: bytes, faults: Faults) -> Iterable[AnswerLine]:
    """The answers in a file, read by the ending of its name; raises FormatError for arrays."""
    name = faults.file
    if name.lower().endswith(ARRAYS):
        if task.shape is AnswerShape.FRAMES:
            arrays = columns_of_file(name, content)
            return [
                AnswerLine(f"array {key}", key, {"values": array}) for key, array in arrays.items()
            ]
        expected = "CSV or JSON lines; arrays are for tasks that ask about frames"
        faults.add("", "name", name, expected)
        return ()
    text = decode(content, name, field="text")
    if not name.lower().endswith(LINES):
        return _csv_rows(task, text, faults)
    results = _results_of(text) if task.shape is AnswerShape.INTERVALS else None
    return _json_lines(text, faults) if results is None else results


def _results_of(text: str) -> list[AnswerLine] | None:
    """The answers of a file as ActivityNet and ActionFormer write it, None for another file.

    {"results": {recording: [{"segment": [start, end], "label", "score"}]}}
    """
    try:
        document = _read_json(text)
    except (ValueError, RecursionError):
        return None
    results = document.get("results") if isinstance(document, dict) else None
    if not isinstance(results, dict):
        return None
    lines: list[AnswerLine] = []
    for recording, rows in results.items():
        intervals = []
        for row in rows if isinstance(rows, list) else [rows]:
            row = dict(row) if isinstance(row, dict) else {"segment": row}
            ends = row.pop("segment", None)
            start_s, end_s = ends if isinstance(ends, list) and len(ends) == 2 else (ends, None)
            label = row.get("label")
            named = {"label": str(label)} if isinstance(label, int) else {}
            intervals.append({**row, **named, "start_s": start_s, "end_s": end_s})
        lines.append(AnswerLine(f"results of {recording}", recording, {"intervals": intervals}))
    return lines


def _read_json(text: str) -> Any:
    """Parse JSON; raises ValueError also for a name that is there twice or cannot be shown.

    Python would silently keep only the last of two equal names.
    """

    def unique_names(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        row = object_of(pairs)
        if any(map(text_fault, row)):
            raise ValueError("a name cannot be shown")
        return row

    return json.loads(text, object_pairs_hook=unique_names)


def _json_lines(text: str, faults: Faults) -> Iterator[AnswerLine]:
    # Not splitlines(): other line separators, such as U+2028, may occur within JSON strings.
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        place = f"line {number}"
        try:
            fields = _read_json(line)
        except (ValueError, RecursionError):
            faults.add(place, "line", line, "one JSON object, each name in it once")
            continue
        if not isinstance(fields, dict) or not isinstance(fields.get("key"), str):
            faults.add(place, "line", line, "a JSON object with a text `key`")
            continue
        key = fields.pop("key")
        yield AnswerLine(
            place, key, None if all(value is None for value in fields.values()) else fields
        )


def _csv_rows(task: Task, text: str, faults: Faults) -> Iterator[AnswerLine]:
    rows = csv_rows(text.removeprefix("\ufeff"))
    shape, columns = task.shape, COLUMNS[task.shape]
    try:
        header = [cell.strip() for cell in next(rows, (1, []))[1]]
        is_other = bool(task.other_columns) and set(task.other_columns) <= set(header)
        is_known = set(header) <= set(columns) or is_other
        needed = set() if is_other else NEEDED.get(shape, {"key", "answer"})
        if not is_known or len(set(header)) < len(header) or not needed <= set(header):
            expected = f"the columns {', '.join(columns)}"
            if task.other_columns:
                expected += f"; or {', '.join(task.other_columns)}"
            faults.add("line 1", "header", ",".join(header), expected)
            return
        cells = _cells(rows, header, faults)
        if is_other:
            cells = ((place, dict(task.row_of_file(row))) for place, row in cells)
        if shape in LISTED:
            yield from _listed_rows(cells, *LISTED[shape])
        elif shape is AnswerShape.FRAMES:
            yield from _frame_rows(cells, faults)
        else:
            for place, row in cells:
                key = row.pop("key", "")
                yield AnswerLine(place, key, row if any(row.values()) else None)
    except BrokenTableError as error:
        faults.add(f"line {error.line}", "line", str(error), "a row of CSV")


Row = tuple[str, dict[str, str]]


def _cells(
    rows: Iterable[tuple[int, list[str]]], header: Sequence[str], faults: Faults
) -> Iterator[Row]:
    for line, row in rows:
        if not row:
            continue
        place = f"line {line}"
        if len(row) != len(header):
            faults.add(place, "cells", len(row), f"{len(header)} cells as in the header")
            continue
        yield place, {field: restore_cell(cell) for field, cell in zip(header, row, strict=True)}


def _listed_rows(cells: Iterable[Row], name: str, word: str) -> Iterator[AnswerLine]:
    """Rows of intervals or moments as one answer per key; a row with only a key is no answer.

    That there are none is said by `NOTHING` alone in the column `word`, so that a template that
    nobody touched does not say it of every recording.
    """
    rows_of: dict[str, tuple[str, list[Row]]] = {}
    for place, row in cells:
        _, rows = rows_of.setdefault(row.pop("key", ""), (place, []))
        if any(row.values()):
            rows.append((place, row))
    for key, (place, rows) in rows_of.items():
        named = [row for _, row in rows]
        has_nothing = len(named) == 1 and named[0].get(word, "").strip().lower() == NOTHING
        if has_nothing and not any(cell for column, cell in named[0].items() if column != word):
            named = []
        listed = {name: named} if rows else None
        yield AnswerLine(place, key, listed, [row_place for row_place, _ in rows])


def _frame_rows(cells: Iterable[Row], faults: Faults) -> Iterator[AnswerLine]:
    """Rows of frames, in any order, as one answer per key; a row with only a key is no answer."""
    numbers_of: dict[str, tuple[str, dict[int, float]]] = {}
    for place, row in cells:
        _, numbers = numbers_of.setdefault(row["key"], (place, {}))
        if not row["frame"] and not row["value"]:
            continue
        try:
            frame, number = int(row["frame"]), float(row["value"])
        except ValueError:
            value = row["frame"], row["value"]
            faults.add(place, "value", value, "a whole frame and a number")
            continue
        if frame in numbers:
            faults.add(place, "frame", frame, "each frame of a key once")
        numbers[frame] = number
    for key, (place, numbers) in numbers_of.items():
        gaps = [frame for at, frame in enumerate(sorted(numbers)) if frame != at]
        if gaps:
            expected = "every frame from 0 on, without a gap"
            faults.add(f"{place} ({key})", "frame", gaps[0], expected)
        values = [numbers[frame] for frame in sorted(numbers)]
        yield AnswerLine(place, key, {"values": values} if values else None)


def template_csv(shape: AnswerShape, keys: Sequence[str]) -> str:
    """A file to fill in: every key, and the columns of the shape."""
    blanks = [""] * (len(COLUMNS[shape]) - 1)
    return "".join(csv_lines([COLUMNS[shape], *([key, *blanks] for key in keys)]))


def template_lines(shape: AnswerShape, keys: Sequence[str]) -> str:
    names = {shape: (name,) for shape, (name, _) in LISTED.items()}
    whole = {**names, AnswerShape.FRAMES: ("values",)}
    fields = whole.get(shape, COLUMNS[shape][1:])
    rows = ({"key": key, **dict.fromkeys(fields)} for key in keys)
    return "".join(json.dumps(row) + "\n" for row in rows)
