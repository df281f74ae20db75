"""A table as it can be published: columns, groups of rows, best values, missing values, footnotes.

One model for every table that leaves PIE-V. `table_writers` writes it as CSV, LaTeX and Markdown,
pages show what `lay_out` gives, so that all of them print the same numbers in the same way.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import groupby
from string import ascii_lowercase

MISSING = "–"

Value = str | int | float | None


class Best(StrEnum):
    HIGHEST = "highest"
    LOWEST = "lowest"


@dataclass(frozen=True, slots=True)
class Column:
    """A column; `key` names it in CSV, `group` is a title above it and its equal neighbours.

    `decimals` None shows values as they are. The best value of a column with a direction is bold.
    `notes` are texts for the foot of the table, as in `Cell`.
    """

    key: str
    title: str
    decimals: int | None = None
    best: Best | None = None
    group: str = ""
    is_long_text: bool = False
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Cell:
    """A value, with its interval where it has one; None where there is no value.

    `notes` are texts for the foot of the table; cells with the same text share its mark. Where
    `is_compared` is false the value cannot be the best.
    """

    value: Value = None
    low: float | None = None
    high: float | None = None
    notes: tuple[str, ...] = ()
    is_compared: bool = True

    def __post_init__(self) -> None:
        for number in (self.value, self.low, self.high):
            if isinstance(number, float) and not math.isfinite(number):
                raise ValueError(f"cell holds {number!r}; expected a finite number, or None")
        if (self.low is None) != (self.high is None):
            raise ValueError(f"interval is {self.low!r} to {self.high!r}; expected both ends")


# What a row without a cell of a column has there.
NOTHING = Cell()


@dataclass(frozen=True, slots=True)
class Row:
    """A row; where `is_compared` is false its values cannot be the best.

    `key` names in addresses what it is of. One that is not shown is on another page of a long
    table: its values still count for the best.
    """

    label: Cell
    cells: Mapping[str, Cell]
    is_compared: bool = True
    key: str = ""
    is_shown: bool = True


@dataclass(frozen=True, slots=True)
class RowGroup:
    """Rows between two rules, under a title of their own unless it is empty."""

    title: str
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """A table with its caption; `key` is its name in addresses and file names ("3", "S2").

    Columns that a row has no cell for are shown as missing. `notes` are footnotes of the whole
    table. Intervals that are not shown are still in the CSV file. Raises ValueError for a cell
    without a column.
    """

    key: str
    title: str
    label_title: str
    columns: tuple[Column, ...]
    groups: tuple[RowGroup, ...]
    notes: tuple[str, ...] = ()
    shows_intervals: bool = True

    def __post_init__(self) -> None:
        known = {column.key for column in self.columns}
        for row in self.rows():
            if unknown := row.cells.keys() - known:
                raise ValueError(
                    f"row {row.label.value!r} has cells of {', '.join(sorted(unknown))};"
                    f" expected some of {', '.join(sorted(known))}"
                )

    def rows(self) -> Iterator[Row]:
        for group in self.groups:
            yield from group.rows

    def has_intervals(self, column: Column) -> bool:
        return any(row.cells.get(column.key, NOTHING).low is not None for row in self.rows())

    def is_number(self, column: Column) -> bool:
        values = [row.cells.get(column.key, NOTHING).value for row in self.rows()]
        return not any(isinstance(value, str) for value in values)


@dataclass(frozen=True, slots=True)
class ShownCell:
    """What a cell reads: its text, the marks of its footnotes, whether it is bold."""

    text: str
    marks: tuple[str, ...] = ()
    is_best: bool = False
    is_number: bool = False


@dataclass(frozen=True, slots=True)
class ShownRow:
    label: ShownCell
    cells: tuple[ShownCell, ...]


@dataclass(frozen=True, slots=True)
class ShownGroup:
    title: str
    rows: tuple[ShownRow, ...]


@dataclass(frozen=True, slots=True)
class ShownTable:
    """A table as text. `spans` are titles over columns with how many each covers, if there are any.

    `heads` are the titles of the columns, that of the labels first. `footnotes` are pairs of mark
    and text; a note of the whole table has the mark "".
    """

    table: Table
    spans: tuple[tuple[str, int], ...]
    heads: tuple[ShownCell, ...]
    groups: tuple[ShownGroup, ...]
    footnotes: tuple[tuple[str, str], ...]


def lay_out(table: Table) -> ShownTable:
    """The table as every writer and page prints it."""
    marks = _Marks()
    # Looked up for every cell, and gone through all rows for.
    numbers = {column.key: table.is_number(column) for column in table.columns}
    heads = tuple(
        ShownCell(column.title, marks.of(column.notes), is_number=numbers[column.key])
        for column in table.columns
    )
    best = {column.key: _best_value(table, column) for column in table.columns}
    groups = tuple(
        ShownGroup(group.title, tuple(_shown_row(row, table, best, marks, numbers) for row in rows))
        for group in table.groups
        if (rows := [row for row in group.rows if row.is_shown])
    )
    spans: tuple[tuple[str, int], ...] = ()
    if any(column.group for column in table.columns):
        spans = tuple(
            (title, len(list(columns)))
            for title, columns in groupby(table.columns, key=lambda column: column.group)
        )
    footnotes = [("", text) for text in table.notes]
    footnotes += [(mark, text) for text, mark in marks.by_text.items()]
    return ShownTable(
        table, spans, (ShownCell(table.label_title), *heads), groups, tuple(footnotes)
    )


@dataclass(slots=True)
class _Marks:
    """Gives each footnote its mark in the order in which they are met: a to z, aa, ab, ..."""

    by_text: dict[str, str] = field(default_factory=dict)

    def of(self, notes: tuple[str, ...]) -> tuple[str, ...]:
        for text in notes:
            if text not in self.by_text:
                first, last = divmod(len(self.by_text), len(ascii_lowercase))
                before = ascii_lowercase[first - 1] if first else ""
                self.by_text[text] = before + ascii_lowercase[last]
        return tuple(self.by_text[text] for text in notes)


def _shown_row(
    row: Row,
    table: Table,
    best: Mapping[str, float | None],
    marks: _Marks,
    numbers: Mapping[str, bool],
) -> ShownRow:
    label = ShownCell(shown_value(row.label.value), marks.of(row.label.notes))
    cells = []
    for column in table.columns:
        cell = row.cells.get(column.key, NOTHING)
        text = shown_value(cell.value, column.decimals)
        if table.shows_intervals and cell.low is not None and cell.high is not None:
            low, high = (shown_value(end, column.decimals) for end in (cell.low, cell.high))
            text += f" [{low}, {high}]"
        rounded = _rounded(cell.value, column)
        is_compared = row.is_compared and cell.is_compared
        is_best = is_compared and rounded is not None and rounded == best[column.key]
        cells.append(ShownCell(text, marks.of(cell.notes), is_best, numbers[column.key]))
    return ShownRow(label, tuple(cells))


def shown_value(value: Value, decimals: int | None = None) -> str:
    """A value as readers see it.

    >>> [shown_value(item, 2) for item in (0.5, -0.25, None, "yes")]
    ['0.50', '−0.25', '–', 'yes']
    """
    if value is None:
        return MISSING
    if isinstance(value, str):
        return value
    text = str(value) if decimals is None else f"{value:.{decimals}f}"
    # -0.00 is no number that a reader knows.
    if float(text) == 0:
        text = text.removeprefix("-")
    return text.replace("-", "−")


def _best_value(table: Table, column: Column) -> float | None:
    """The best of two or more values, as they are printed: those that print alike are all best."""
    if column.best is None:
        return None
    values = [
        _rounded(cell.value, column)
        for row in table.rows()
        if row.is_compared and (cell := row.cells.get(column.key, NOTHING)).is_compared
    ]
    numbers = [value for value in values if value is not None]
    if len(numbers) < 2:
        return None
    return max(numbers) if column.best is Best.HIGHEST else min(numbers)


def _rounded(value: Value, column: Column) -> float | None:
    if value is None or isinstance(value, str):
        return None
    return float(value if column.decimals is None else f"{value:.{column.decimals}f}")
