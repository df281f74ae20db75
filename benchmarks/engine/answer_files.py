"""Files of answers that were made elsewhere, and the template to fill in.

A CSV file has a row per answer, per interval or per frame; a JSON lines file an object per item; an
.npz archive an array per item. Answers are joined with items by `key`, never by position; the name
of a recording will do where one item alone is of it.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from annotation.engine.csv_cells import restore_cell, safe_cell
from annotation.engine.formats.errors import Problem
from annotation.engine.formats.reading import (
    BrokenTableError,
    Faults,
    csv_rows,
    decode,
    object_of,
    text_fault,
)
from benchmarks.engine.answer_arrays import columns_of_file
from benchmarks.engine.answer_values import INTERVAL_FIELDS, ValueFaultError, value_of
from benchmarks.engine.task import AnswerShape, Item, Task, Value

COLUMNS = {
    AnswerShape.ONE: ("key", "answer", "score"),
    AnswerShape.INTERVALS: ("key", *INTERVAL_FIELDS),
    AnswerShape.STREAM: ("key", "answer", "text"),
    AnswerShape.TEXT: ("key", "text"),
    AnswerShape.FRAMES: ("key", "frame", "value"),
}
NEEDED = {
    AnswerShape.TEXT: {"key", "text"},
    AnswerShape.FRAMES: {"key", "frame", "value"},
    AnswerShape.INTERVALS: {"key", "start_s"},
}
ARRAYS, LINES = (".npz", ".npy"), (".jsonl", ".ndjson", ".json")
# A file with more faults than this is another file; the first ones say so.
MOST_PROBLEMS = 1000


@dataclass(frozen=True, slots=True)
class AnswerFile:
    """The answers of a file by the keys of their items, and the keys that it says nothing of."""

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

    An item without an answer is a fault, unless they are to be counted as missing; a file without
    any is one in any case. A row of the template that was left empty is none.
    """
    faults = Faults(name, most=MOST_PROBLEMS)
    values: dict[str, Value] = {}
    seen: dict[str, str] = {}
    named = _keys_by_recording(items)
    for line in _lines(task, content, faults):
        key = line.key if line.key in items else named.get(line.key, line.key)
        if key not in items:
            faults.add(line.place, "key", key, "the key of an item of this set")
        elif key in seen:
            faults.add(line.place, "key", key, f"each key once; it is in {seen[key]} too")
        else:
            seen[key] = line.place
            if line.given is None:
                continue
            try:
                values[key] = value_of(task, items[key], line.given)
            except ValueFaultError as error:
                place = line.place_of(error.entry)
                sentence = f"{name}, {place}: {error.words}" if error.words else ""
                faults.add(place, error.field, error.value, error.expected, sentence)
    missing = tuple(key for key in items if key not in values)
    if missing and not (counts_missing and values) and not faults.problems:
        shown = ", ".join(missing[:5]) + (", ..." if len(missing) > 5 else "")
        said = f"{len(missing)} of {len(items)} items have no answer ({shown})"
        expected = "an answer to every item, or the choice to count them as missing"
        if counts_missing:
            expected = "an answer to at least one"
        faults.problems.append(Problem(name, "", "", said, expected))
    faults.raise_if_any()
    return AnswerFile(values, missing)


def _keys_by_recording(items: Mapping[str, Item]) -> dict[str, str]:
    """The key of each recording's item, of those that have one item alone."""
    names = {key: str(item.payload.get("recording_id", "")) for key, item in items.items()}
    counts = Counter(names.values())
    return {name: key for key, name in names.items() if name and counts[name] == 1}


class AnswerLine(NamedTuple):
    """What a file says of a key, and where; `places` are those of each interval, where known."""

    place: str
    key: str
    given: Mapping[str, Any] | None
    places: Sequence[str] = ()

    def place_of(self, entry: int | None) -> str:
        """Where an interval stands, or what is said of the key as a whole."""
        if entry is None:
            return self.place
        return self.places[entry] if self.places else f"{self.place}, interval {entry + 1}"


def _lines(task: Task, content: bytes, faults: Faults) -> Iterable[AnswerLine]:
    """What a file says of each key, by the ending of its name; raises FormatError of arrays."""
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
    """Intervals by recording as ActivityNet's files and ActionFormer's have them, else None.

    {"results": {recording: [{"segment": [start, end], "label", "score"}]}}
    """
    try:
        found = _read_json(text)
    except (ValueError, RecursionError):
        return None
    results = found.get("results") if isinstance(found, dict) else None
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
    """What JSON says; raises ValueError also where an object has a name twice, one of them lost.

    And for a name that no answer could show.
    """

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = object_of(pairs)
        if any(map(text_fault, found)):
            raise ValueError("a name cannot be shown")
        return found

    return json.loads(text, object_pairs_hook=once)


def _json_lines(text: str, faults: Faults) -> Iterator[AnswerLine]:
    # Other marks that end a line, such as U+2028, may stand in a text of JSON.
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        place = f"line {number}"
        try:
            given = _read_json(line)
        except (ValueError, RecursionError):
            faults.add(place, "line", line, "one JSON object, each name in it once")
            continue
        if not isinstance(given, dict) or not isinstance(given.get("key"), str):
            faults.add(place, "line", line, "a JSON object with a text `key`")
            continue
        key = given.pop("key")
        yield AnswerLine(place, key, None if all(one is None for one in given.values()) else given)


def _csv_rows(task: Task, text: str, faults: Faults) -> Iterator[AnswerLine]:
    rows = csv_rows(text.removeprefix("\ufeff"))
    shape, columns = task.shape, COLUMNS[task.shape]
    try:
        header = [cell.strip() for cell in next(rows, (1, []))[1]]
        is_other = bool(task.other_columns) and set(task.other_columns) <= set(header)
        known = set(header) <= set(columns) or is_other
        needed = set() if is_other else NEEDED.get(shape, {"key", "answer"})
        if not known or len(set(header)) < len(header) or not needed <= set(header):
            expected = f"the columns {', '.join(columns)}"
            if task.other_columns:
                expected += f"; or {', '.join(task.other_columns)}"
            faults.add("line 1", "header", ",".join(header), expected)
            return
        cells = _cells(rows, header, faults)
        if is_other:
            cells = ((place, dict(task.row_of_file(row))) for place, row in cells)
        if shape is AnswerShape.INTERVALS:
            yield from _grouped(cells)
        elif shape is AnswerShape.FRAMES:
            yield from _framed(cells, faults)
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


def _grouped(cells: Iterable[Row]) -> Iterator[AnswerLine]:
    """Rows of intervals as one answer per key; a key by itself has found nothing."""
    found: dict[str, tuple[str, list[Row]]] = {}
    for place, row in cells:
        _, rows = found.setdefault(row.pop("key", ""), (place, []))
        if any(row.values()):
            rows.append((place, row))
    for key, (place, rows) in found.items():
        intervals = {"intervals": [row for _, row in rows]}
        yield AnswerLine(place, key, intervals, [one for one, _ in rows])


def _framed(cells: Iterable[Row], faults: Faults) -> Iterator[AnswerLine]:
    """Rows of frames, in any order, as one answer per key; a key by itself says nothing."""
    found: dict[str, tuple[str, dict[int, float]]] = {}
    for place, row in cells:
        _, numbers = found.setdefault(row["key"], (place, {}))
        if not row["frame"] and not row["value"]:
            continue
        try:
            frame, number = int(row["frame"]), float(row["value"])
        except ValueError:
            given = row["frame"], row["value"]
            faults.add(place, "value", given, "a whole frame and a number")
            continue
        if frame in numbers:
            faults.add(place, "frame", frame, "each frame of a key once")
        numbers[frame] = number
    for key, (place, numbers) in found.items():
        gaps = [frame for at, frame in enumerate(sorted(numbers)) if frame != at]
        if gaps:
            expected = "every frame from 0 on, without a gap"
            faults.add(f"{place} ({key})", "frame", gaps[0], expected)
        values = [numbers[frame] for frame in sorted(numbers)]
        yield AnswerLine(place, key, {"values": values} if values else None)


def template_csv(shape: AnswerShape, keys: Sequence[str]) -> str:
    """A file to fill in: every key, and the columns of the shape."""
    blank = "," * (len(COLUMNS[shape]) - 1)
    lines = [",".join(COLUMNS[shape]), *(f"{safe_cell(key)}{blank}" for key in keys)]
    return "\n".join(lines) + "\n"


def template_lines(shape: AnswerShape, keys: Sequence[str]) -> str:
    whole = {AnswerShape.INTERVALS: ("intervals",), AnswerShape.FRAMES: ("values",)}
    fields = whole.get(shape, COLUMNS[shape][1:])
    rows = ({"key": key, **dict.fromkeys(fields)} for key in keys)
    return "".join(json.dumps(row) + "\n" for row in rows)
