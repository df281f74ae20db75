"""Untrusted CSV as rows, each with its line, and each fault with its place."""

import csv
import io
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from annotation.engine.corpus.formats.errors import Faults, fault_of_file
from annotation.engine.corpus.formats.reading import read_text


class BrokenTableError(ValueError):
    """A text cannot be read as comma-separated values from `line` on; the message says why."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(reason)
        self.line = line


def csv_rows(text: str) -> Iterator[tuple[int, list[str]]]:
    """Yield every row as (line number from 1, cells), an empty line as a row without cells."""
    rows = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        for cells in rows:
            yield rows.line_num, cells
    except csv.Error as error:
        raise BrokenTableError(rows.line_num, str(error)) from error


def filled_rows(text: str, file: str) -> list[tuple[int, list[str]]]:
    """The rows of a table that are not blank as (line number from 1, cells)."""
    if "\x00" in text:
        line = text.count("\n", 0, text.index("\x00")) + 1
        raise fault_of_file(file, "\x00", "text without NUL characters", place=f"line {line}")
    try:
        return [row for row in csv_rows(text) if any(cell.strip() for cell in row[1])]
    except BrokenTableError as error:
        place = f"line {error.line}"
        raise fault_of_file(file, str(error), "comma-separated values", place=place) from error


def read_csv_rows(path: Path) -> list[tuple[int, list[str]]]:
    return filled_rows(read_text(path), path.name)


@dataclass(frozen=True, slots=True)
class TableRow:
    """A row of a CSV file with a header: its line, and its cells by column."""

    line: int
    cells: Mapping[str, str]
    faults: Faults

    @property
    def place(self) -> str:
        return f"line {self.line}"

    def fault(self, field: str, expected: str) -> None:
        self.faults.add(self.place, field, self.cells.get(field, ""), expected)

    def seconds(self, field: str) -> float:
        value = number_in(self.cells[field])
        if value is None or value < 0:
            self.fault(field, "seconds with a point, 0 or more")
            return 0.0
        return value


def number_in(cell: str) -> float | None:
    """The number of a cell with a decimal point; None for a comma, which could mean two things."""
    if not cell.isascii() or "," in cell or "_" in cell:
        return None
    try:
        value = float(cell)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def read_csv_table(path: Path, faults: Faults) -> tuple[list[str], Iterator[TableRow]]:
    """The columns of the first line, none of an empty file, and the rows below it.

    A row of another length is noted as a fault on the way, and left out.
    """
    table = read_csv_rows(path)
    header = [cell.strip() for cell in table[0][1]] if table else []
    return header, _rows_below(header, table[1:], faults)


def _rows_below(
    header: list[str], lines: list[tuple[int, list[str]]], faults: Faults
) -> Iterator[TableRow]:
    for line, cells in lines:
        if len(cells) == len(header):
            yield TableRow(line, dict(zip(header, cells, strict=True)), faults)
        else:
            faults.add(f"line {line}", "", len(cells), f"{len(header)} cells")
