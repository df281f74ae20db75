"""Ratings as one long CSV table: one row per answer, by the source's own ids.

`export_ratings` writes and `import_ratings` reads the columns of `rating_columns`: UTF-8, lines
ending in a line feed. Text that a spreadsheet program would run as a formula is escaped
(`csv_cells`).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime
from typing import Any

from annotation.engine.corpus.formats.csv_tables import BrokenTableError, csv_rows
from annotation.engine.corpus.formats.errors import (
    Faults,
    FormatError,
    Problem,
    fault_of_file,
    problem,
)
from annotation.engine.corpus.formats.reading import decode
from annotation.engine.corpus.procedure import ReadingWarning
from annotation.engine.csv_cells import (
    KEPT_CELLS,
    ROW_NAMES,
    is_missing,
    restore_cell,
    whole_number,
)
from annotation.engine.ratings.changes import is_in_future
from annotation.engine.ratings.columns import (
    COLUMNS,
    NAMES,
    NEEDED_COLUMNS,
    ORDINARY,
    CellError,
    RatingColumn,
)
from annotation.engine.rubric.rubric import (
    Metric,
    RatingValueError,
    Scale,
    Scope,
    check_value,
    current_rubric,
    rubric,
)


@dataclass(frozen=True, slots=True)
class RatingRow:
    """One answer of one rater, by the names of the columns; `event` is empty for the whole trace.

    What a table does not tell is empty: data set, take, versions of guideline and rubric, time.
    `words` are what a workbook says of the event's step, without and with the mistake.
    """

    dataset: str
    take: str
    trace: str
    event: str
    rater: str
    metric: Metric
    value: str
    confidence: int | None = None
    implied: bool = False
    guideline_version: str = ""
    round: int | None = None
    rated_at: datetime | None = None
    reference_watched_s: float | None = None
    trace_watched_s: float | None = None
    informed: bool = False
    rubric_version: str = ""
    purpose: str = ORDINARY
    words: tuple[str, str] | None = None

    @property
    def identity(self) -> tuple[str | int | None, ...]:
        """What no two rows of a table may share."""
        return (
            self.dataset, self.trace, self.event, self.rater, self.metric, self.guideline_version,
            self.round, self.purpose,
        )  # fmt: skip


KEPT_COLUMNS = frozenset(item.name for item in fields(RatingRow))
NumberedRow = tuple[int, RatingRow]


@dataclass(frozen=True, slots=True)
class RatingTable:
    """The rows of a file, or of one sheet of it, with their line numbers; the header is line 1.

    A workbook says in column A whose data these are, which need not be the name of the data set,
    unless somebody named that (`is_dataset_named`).
    """

    file: str
    rows: tuple[NumberedRow, ...]
    sheet: str = ""
    is_workbook: bool = False
    is_dataset_named: bool = False
    warnings: tuple[ReadingWarning, ...] = ()

    def place(self, line: int) -> str:
        return f"sheet {self.sheet}, row {line}" if self.sheet else f"row {line}"


@dataclass(frozen=True, slots=True)
class TableDefaults:
    """What a row gets where its table leaves it out."""

    dataset: str = ""
    guideline_version: str = ""
    rated_at: datetime | None = None

    def complete(self, row: RatingRow) -> RatingRow:
        missing = {
            name: getattr(self, name)
            for name in ("dataset", "guideline_version", "rated_at")
            if getattr(self, name) and not getattr(row, name)
        }
        return replace(row, **missing) if missing else row


def read_table(content: bytes, *, file: str, now: datetime) -> RatingTable:
    """The rows of a table, whose columns may come in any order.

    No row may be rated after `now`, but for clocks that differ. Raises `FormatError` with every
    problem of the table.
    """
    lines = csv_rows(decode(content, file))
    found: list[NumberedRow] = []
    problems: list[Problem] = []
    warnings: tuple[ReadingWarning, ...] = ()
    try:
        _, header = next(lines, (1, []))
        has_row_names = len(header) > 1 and header[0] in ROW_NAMES
        columns = _columns_of(header[has_row_names:], file)
        unknown = [
            name for name, item in zip(header[has_row_names:], columns, strict=True) if not item
        ]
        if unknown:
            message = f"columns left out: {', '.join(unknown)}"
            warnings = (ReadingWarning(file, message),)
        # Most cells of a column repeat others.
        known: list[dict[str, Any]] = [{} for _ in columns]
        for line, cells in lines:
            if not cells:
                continue
            reader = _RowReader(file, line, now, known)
            row = reader.read(columns, cells[has_row_names:])
            problems += reader.faults.problems
            if row is not None:
                found.append((line, row))
    except BrokenTableError as error:
        problems.append(Problem(file, f"row {error.line}", "", str(error), "a CSV row"))
    table = RatingTable(file, tuple(found), warnings=warnings)
    problems += find_repeats([table])
    if problems:
        raise FormatError(problems)
    return table


def _columns_of(header: Sequence[str], file: str) -> list[RatingColumn | None]:
    """The columns in the order of the header, None for one that is not known."""
    by_name = {item.name: item for item in COLUMNS}
    found = [by_name.get(name.strip().lower()) for name in header]
    known = [item.name for item in found if item]
    if not set(NEEDED_COLUMNS) <= set(known) or len(set(known)) < len(known):
        expected = f"the columns {', '.join(NEEDED_COLUMNS)}, and each once"
        raise fault_of_file(file, list(header), expected, place="row 1")
    return found


class _RowReader:
    """Checks one row and keeps every problem it finds."""

    def __init__(
        self, file: str, line: int, now: datetime, cell_values: Sequence[dict[str, Any]]
    ) -> None:
        """`cell_values` are the values that were read before, by column and text."""
        self.faults = Faults(file)
        self.place = f"row {line}"
        self.now = now
        self.cell_values = cell_values

    def refuse(self, field: str, value: object, expected: str) -> None:
        self.faults.add(self.place, field, value, expected)

    def read(self, columns: Sequence[RatingColumn | None], cells: list[str]) -> RatingRow | None:
        if len(cells) != len(columns):
            self.refuse("", cells, f"{len(columns)} cells, not {len(cells)}")
            return None
        values = {}
        for column, cell, known in zip(columns, cells, self.cell_values, strict=True):
            if column is None:
                continue
            if cell in known:
                values[column.name] = known[cell]
                continue
            text = restore_cell(cell)
            try:
                is_absent = not column.is_needed and (
                    not text.strip() if column.name in NAMES else is_missing(text)
                )
                value = column.absent if is_absent else column.read(text)
            except CellError as error:
                self.refuse(column.name, text, str(error))
                continue
            values[column.name] = value
            if len(known) < KEPT_CELLS:
                known[cell] = value
        if self.faults.problems:
            return None
        kept = {name: value for name, value in values.items() if name in KEPT_COLUMNS}
        return self._checked(RatingRow(**{"dataset": "", "take": "", **kept}))

    def _checked(self, row: RatingRow) -> RatingRow:
        """The row with event and value as they were before a program took them for numbers."""
        rubric_ = rubric(row.rubric_version) if row.rubric_version else current_rubric()
        definition = rubric_.definition(row.metric)
        event, value = row.event, row.value
        # An event may really be called "none"; a whole trace has no event at all.
        if definition.scope is Scope.TRACE and is_missing(event):
            event = ""
        number = whole_number(value)
        if definition.scale is Scale.LIKERT and number is not None:
            value = str(number)
        if row.rated_at is not None and is_in_future(row.rated_at, now=self.now):
            now = self.now.astimezone(UTC).isoformat(timespec="seconds")
            self.refuse(
                "rated_at",
                row.rated_at.isoformat(),
                f"a time that is not in the future; it is {now}",
            )
        if definition.scope is Scope.TRACE and event:
            self.refuse("event", event, f"nothing, because {row.metric} is rated per trace")
        if definition.scope is Scope.EVENT and not event:
            self.refuse("event", "", f"an event, because {row.metric} is rated per event")
        try:
            check_value(row.metric, value, row.confidence, rubric_=rubric_)
        except RatingValueError as error:
            self.refuse(error.field, error.value, error.expected)
        if row.implied and all(
            rule.implies.get(row.metric) != value for rule in rubric_.skip_rules
        ):
            self.refuse("implied", "yes", f"no, because no skip rule gives {row.metric} this value")
        if (event, value) == (row.event, row.value):
            return row
        return replace(row, event=event, value=value)


def find_repeats(tables: Iterable[RatingTable]) -> list[Problem]:
    """A problem for each answer that is there twice, and each trace with two takes."""
    places: dict[tuple[str | int | None, ...], tuple[RatingTable, int]] = {}
    takes: dict[tuple[str, str], str] = {}
    problems = []
    for table in tables:
        for line, row in table.rows:
            first = places.get(row.identity)
            if first is None:
                places[row.identity] = (table, line)
            else:
                answer = f"{row.rater}, {row.trace}, {row.event or 'whole trace'}, {row.metric}"
                where = first[0].place(first[1])
                if first[0].file != table.file:
                    where += f" of {first[0].file}"
                problems.append(
                    Problem(
                        table.file, table.place(line), "", f"a second rating of {answer}",
                        f"only that of {where}",
                    )
                )  # fmt: skip
            if not row.take:
                continue
            take = takes.setdefault((row.dataset, row.trace), row.take)
            if take != row.take:
                problems.append(
                    problem(
                        file=table.file, place=table.place(line), field="take", value=row.take,
                        expected=f"{take!r} again",
                    )
                )  # fmt: skip
    return problems
