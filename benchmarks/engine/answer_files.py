"""Files of answers that were made elsewhere, and the template to fill in.

A CSV file has a row per answer, or per interval; a JSON lines file an object per item. Answers are
joined with items by `key`, never by position.
"""

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotation.engine.csv_cells import restore_cell, safe_cell
from annotation.engine.formats.errors import FormatError, Problem, problem
from benchmarks.engine.answer_values import INTERVAL_FIELDS, ValueFaultError, value_of
from benchmarks.engine.task import AnswerShape, Item, Task, Value

COLUMNS = {
    AnswerShape.ONE: ("key", "answer", "score"),
    AnswerShape.INTERVALS: ("key", *INTERVAL_FIELDS),
    AnswerShape.STREAM: ("key", "answer", "text"),
    AnswerShape.TEXT: ("key", "text"),
}
# A file with more faults than this is another file; the first ones say so.
MOST_PROBLEMS = 1000


@dataclass(frozen=True, slots=True)
class AnswerFile:
    """The answers of a file by the keys of their items, and the keys that it says nothing of."""

    values: Mapping[str, Value]
    missing: tuple[str, ...]


def read_answers(
    task: Task, items: Mapping[str, Item], name: str, text: str, *, counts_missing: bool = False
) -> AnswerFile:
    """The answers in a file; raises FormatError with every fault.

    An item without an answer is a fault, unless they are to be counted as missing. A row of the
    template that was left empty is none.
    """
    lines = _json_lines if name.lower().endswith((".jsonl", ".ndjson", ".json")) else _csv_rows
    problems: list[Problem] = []
    values: dict[str, Value] = {}
    seen: dict[str, str] = {}
    for place, key, given in lines(task.shape, name, text, problems):
        if len(problems) >= MOST_PROBLEMS:
            break
        if key not in items:
            expected = "the key of an item of this set"
            problems.append(_fault(name, place, "key", key, expected))
        elif key in seen:
            expected = f"each key once; it is in {seen[key]} too"
            problems.append(_fault(name, place, "key", key, expected))
        else:
            seen[key] = place
            if given is None:
                continue
            try:
                values[key] = value_of(task, items[key], given)
            except ValueFaultError as error:
                problems.append(_fault(name, place, error.field, error.value, error.expected))
    missing = tuple(key for key in items if key not in values)
    if missing and not counts_missing and not problems:
        shown = ", ".join(missing[:5]) + (", ..." if len(missing) > 5 else "")
        said = f"{len(missing)} of {len(items)} items have no answer ({shown})"
        expected = "an answer to every item, or the choice to count them as missing"
        problems.append(Problem(name, "", "", said, expected))
    if problems:
        raise FormatError(problems)
    return AnswerFile(values, missing)


def _fault(name: str, place: str, field: str, value: object, expected: str) -> Problem:
    return problem(file=name, place=place, field=field, value=value, expected=expected)


Line = tuple[str, str, Mapping[str, Any] | None]


def _json_lines(
    shape: AnswerShape, name: str, text: str, problems: list[Problem]
) -> Iterator[Line]:
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        place = f"line {number}"
        try:
            given = json.loads(line)
        except (ValueError, RecursionError):
            problems.append(_fault(name, place, "line", line, "one JSON object"))
            continue
        if not isinstance(given, dict) or not isinstance(given.get("key"), str):
            problems.append(_fault(name, place, "line", line, "a JSON object with a text `key`"))
            continue
        key = given.pop("key")
        yield place, key, None if all(value is None for value in given.values()) else given


def _csv_rows(shape: AnswerShape, name: str, text: str, problems: list[Problem]) -> Iterator[Line]:
    rows = csv.reader(io.StringIO(text.removeprefix("\ufeff")), strict=True)
    columns = COLUMNS[shape]
    try:
        header = [cell.strip() for cell in next(rows, [])]
        known = set(header) <= set(columns) and len(set(header)) == len(header)
        if not known or not {"key", columns[-1 if shape is AnswerShape.TEXT else 1]} <= set(header):
            expected = f"the columns {', '.join(columns)}"
            problems.append(_fault(name, "line 1", "header", ",".join(header), expected))
            return
        cells = _cells(rows, header, name, problems)
        if shape is AnswerShape.INTERVALS:
            yield from _grouped(cells)
        else:
            for place, row in cells:
                key = row.pop("key", "")
                yield place, key, row if any(row.values()) else None
    except csv.Error as error:
        problems.append(_fault(name, f"line {rows.line_num}", "line", str(error), "a row of CSV"))


def _cells(
    rows: Any, header: Sequence[str], name: str, problems: list[Problem]
) -> Iterator[tuple[str, dict[str, str]]]:
    for row in rows:
        if not row:
            continue
        place = f"line {rows.line_num}"
        if len(row) != len(header):
            expected = f"{len(header)} cells as in the header"
            problems.append(_fault(name, place, "cells", len(row), expected))
            continue
        yield place, {field: restore_cell(cell) for field, cell in zip(header, row, strict=True)}


def _grouped(cells: Iterator[tuple[str, dict[str, str]]]) -> Iterator[Line]:
    """Rows of intervals as one answer per key; a key by itself has found nothing."""
    found: dict[str, tuple[str, list[dict[str, str]]]] = {}
    for place, row in cells:
        key = row.pop("key", "")
        _, intervals = found.setdefault(key, (place, []))
        if any(row.values()):
            intervals.append(row)
    for key, (place, intervals) in found.items():
        yield place, key, {"intervals": intervals}


def template_csv(shape: AnswerShape, keys: Sequence[str]) -> str:
    """A file to fill in: every key, and the columns of the shape."""
    blank = "," * (len(COLUMNS[shape]) - 1)
    lines = [",".join(COLUMNS[shape]), *(f"{safe_cell(key)}{blank}" for key in keys)]
    return "\n".join(lines) + "\n"


def template_lines(shape: AnswerShape, keys: Sequence[str]) -> str:
    fields = ("intervals",) if shape is AnswerShape.INTERVALS else COLUMNS[shape][1:]
    rows = ({"key": key, **dict.fromkeys(fields)} for key in keys)
    return "".join(json.dumps(row) + "\n" for row in rows)
