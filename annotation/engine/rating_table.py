"""Ratings as one long CSV table: one row per answer, by the source's own ids.

The same table is what `export_ratings` writes and `import_ratings` reads: UTF-8, lines ending in
"\\n", an empty `event` for the whole trace. Text that a spreadsheet program would run as a formula
is escaped (`csv_cells`).
"""

import csv
import io
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache

from annotation.engine.csv_cells import restore_cell, safe_cell
from annotation.engine.formats.errors import FormatError, Problem, problem
from annotation.engine.rating_changes import is_to_come
from annotation.engine.rubric import (
    Metric,
    RatingValueError,
    Rubric,
    Scale,
    Scope,
    check_value,
    current_rubric,
)

COLUMNS = (
    "dataset",
    "take",
    "trace",
    "event",
    "rater",
    "metric",
    "value",
    "confidence",
    "implied",
    "guideline_version",
    "rated_at",
)
# Behind the others where it is known of any answer: what of the event had been watched until then.
WATCHED_COLUMNS = ("reference_watched_s", "trace_watched_s")
# Last, where it is so of any answer: whether its rater could see the trace's source before.
INFORMED_COLUMN = "informed"
OPTIONAL_COLUMNS = frozenset({"event", "confidence", *WATCHED_COLUMNS, INFORMED_COLUMN})
# A day: longer than any recording.
MAX_WATCHED_S = 86_400.0
# As wide as the tables are: see `Dataset.name`, `Take.uid`, `Event.event_id`, `User.username`.
MAX_CHARACTERS = {
    "dataset": 200,
    "take": 200,
    "trace": 200,
    "event": 100,
    "rater": 150,
    "guideline_version": 32,
}
# A single digit that is no confidence is named as such by the rubric.
LARGEST_DIGIT = 9
SECONDS = re.compile(r"\d{1,5}(?:\.\d*)?(?:[eE][+-]?\d{1,2})?", re.ASCII)
USERNAME = re.compile(r"[\w.@+-]+")
# In small letters, as programs write them that have read the table as truth values or numbers.
YES_OR_NO = {
    "yes": True, "true": True, "1": True, "1.0": True,
    "no": False, "false": False, "0": False, "0.0": False,
}  # fmt: skip
# What pandas, R and spreadsheets write for a cell without a value, in small letters.
MISSING = frozenset({"", "na", "n/a", "#n/a", "<na>", "nan", "-nan", "null", "none"})
# The column of row names or numbers that R and pandas put before the others.
ROW_NAMES = frozenset({"", "Unnamed: 0", "X", "...1", "rownames"})
NUMBER = re.compile(r"\+?\d{1,9}(?:\.\d{0,9})?(?:[eE][+-]?\d{1,2})?", re.ASCII)
SAMPLE_TIME = "2026-01-31T09:30:00+00:00"
NEEDS_QUOTES = re.compile(r'[",\r\n]')
# Most text needs neither quotes nor an escape: no formula starts with a letter or digit.
PLAIN = re.compile(r'[A-Za-z0-9][^",\r\n]*')
KEPT_CELLS = 4096
Cell = str | int | float | None


@dataclass(frozen=True, slots=True)
class RatingRow:
    """One answer of one rater; `event` is empty for the whole trace."""

    dataset: str
    take: str
    trace: str
    event: str
    rater: str
    metric: Metric
    value: str
    confidence: int | None
    is_implied: bool
    guideline_version: str
    rated_at: datetime
    reference_watched_s: float | None = None
    trace_watched_s: float | None = None
    is_informed: bool = False

    def cells(self) -> tuple[Cell, ...]:
        """Return the cells of the row in the order of the columns, those of evidence included."""
        return (
            self.dataset,
            self.take,
            self.trace,
            self.event,
            self.rater,
            self.metric.value,
            self.value,
            self.confidence,
            "yes" if self.is_implied else "no",
            self.guideline_version,
            self.rated_at.astimezone(UTC).isoformat(),
            seconds_text(self.reference_watched_s),
            seconds_text(self.trace_watched_s),
        )

    @property
    def identity(self) -> tuple[str, ...]:
        """Return what no two rows of a table may share."""
        return (
            self.dataset, self.trace, self.event, self.rater, self.metric, self.guideline_version,
        )  # fmt: skip


def table_columns(*, has_evidence: bool = False, has_informed: bool = False) -> tuple[str, ...]:
    """Return the names of a table's columns in their order, the one that every row of it has."""
    watched = WATCHED_COLUMNS if has_evidence else ()
    return (*COLUMNS, *watched, *((INFORMED_COLUMN,) if has_informed else ()))


def table_lines(rows: Iterable[RatingRow], *, has_evidence: bool = False) -> Iterator[str]:
    """Yield the header and one line per row, each with its line end.

    With `has_evidence` the columns of what was watched are there too.
    """
    columns = table_columns(has_evidence=has_evidence)
    return lines_of_cells(columns, (row.cells()[: len(columns)] for row in rows))


def lines_of_cells(columns: Iterable[str], rows: Iterable[Iterable[Cell]]) -> Iterator[str]:
    """Yield the header and one line per row of cells, which stand in the order of the columns."""
    yield ",".join(map(_quoted, columns)) + "\n"
    for cells in rows:
        yield ",".join(map(_quoted, cells)) + "\n"


# Most cells are said again and again: names, metrics, values. Numbers that are equal are not the
# same text (1 and 1.0), hence `typed`.
@lru_cache(maxsize=KEPT_CELLS, typed=True)
def _quoted(value: Cell) -> str:
    if isinstance(value, str) and PLAIN.fullmatch(value):
        return value
    cell = safe_cell(value)
    # The csv module leaves a lone carriage return unquoted, and then cannot read it back.
    return '"' + cell.replace('"', '""') + '"' if NEEDS_QUOTES.search(cell) else cell


def seconds_text(seconds: float | None) -> str | None:
    return None if seconds is None else f"{seconds:.1f}"


def whole_number(text: str) -> int | None:
    """Return a whole number in whatever spelling a program writes it, None for any other text.

    >>> [whole_number(text) for text in ("2", "2.0", " 2. ", "2e0", "2.5", "two", "-2")]
    [2, 2, 2, 2, None, None, None]
    """
    if not NUMBER.fullmatch(text.strip()):
        return None
    value = float(text)
    return int(value) if value.is_integer() else None


def is_missing(text: str) -> bool:
    """Return whether a cell holds no value, in whatever spelling a program writes that."""
    return text.strip().lower() in MISSING


def read_table(content: bytes, *, file: str, now: datetime) -> tuple[tuple[int, RatingRow], ...]:
    """Return the rows of a table with their line numbers; the header is line 1.

    No row may be rated after `now`, but for clocks that differ. Raises `FormatError` with every
    problem of the table.
    """
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        bad = content[error.start : error.start + 1]
        raise FormatError(
            [problem(file=file, place=f"byte {error.start}", field="", value=bad, expected="UTF-8")]
        ) from error
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    found: list[tuple[int, RatingRow]] = []
    problems: list[Problem] = []
    try:
        header = next(reader, [])
        has_row_names = len(header) > 1 and header[0] in ROW_NAMES
        columns = tuple(header[has_row_names:])
        known = tuple(name for name in columns if name != INFORMED_COLUMN)
        is_known = known in (COLUMNS, (*COLUMNS, *WATCHED_COLUMNS))
        if not is_known or columns not in (known, (*known, INFORMED_COLUMN)):
            expected = "the columns " + ", ".join(COLUMNS)
            raise FormatError(
                [problem(file=file, place="row 1", field="", value=header, expected=expected)]
            )
        for cells in reader:
            if not cells:
                continue
            reading = _RowReader(file, reader.line_num, cells[has_row_names:], columns, now)
            row = reading.read()
            problems += reading.problems
            if row is not None:
                found.append((reader.line_num, row))
    except csv.Error as error:
        place = f"row {reader.line_num}"
        problems.append(
            Problem(file=file, place=place, field="", value=str(error), expected="a CSV row")
        )
    problems += find_repeats(found, file)
    if problems:
        raise FormatError(problems)
    return tuple(found)


class _RowReader:
    """Checks one row cell by cell and keeps every problem it finds."""

    def __init__(
        self, file: str, line: int, cells: list[str], columns: tuple[str, ...], now: datetime
    ) -> None:
        self.file = file
        self.now = now
        self.place = f"row {line}"
        self.cells = cells
        self.columns = columns
        self.problems: list[Problem] = []
        self.edition: Rubric = current_rubric()

    def refuse(self, field: str, value: object, expected: str) -> None:
        self.problems.append(
            problem(file=self.file, place=self.place, field=field, value=value, expected=expected)
        )

    def read(self) -> RatingRow | None:
        if len(self.cells) != len(self.columns):
            self.refuse("", self.cells, f"{len(self.columns)} cells, not {len(self.cells)}")
            return None
        cell = dict(zip(self.columns, map(restore_cell, self.cells), strict=True))
        metric = self._metric(cell["metric"])
        self._undo_spellings(metric, cell)
        self._check_texts(cell)
        confidence = self._confidence(cell["confidence"])
        is_implied = self._choice("implied", cell["implied"])
        rated_at = self._time(cell["rated_at"])
        is_informed = self._choice(INFORMED_COLUMN, cell.get(INFORMED_COLUMN, "no"))
        watched = [self._seconds(name, cell.get(name, "")) for name in WATCHED_COLUMNS]
        if metric is not None and not self.problems:
            self._check_answer(metric, cell, confidence, is_implied=bool(is_implied))
        if self.problems or metric is None or rated_at is None:
            return None
        return RatingRow(
            dataset=cell["dataset"],
            take=cell["take"],
            trace=cell["trace"],
            event=cell["event"],
            rater=cell["rater"],
            metric=metric,
            value=cell["value"],
            confidence=confidence,
            is_implied=bool(is_implied),
            guideline_version=cell["guideline_version"],
            rated_at=rated_at,
            reference_watched_s=watched[0],
            trace_watched_s=watched[1],
            is_informed=bool(is_informed),
        )

    def _undo_spellings(self, metric: Metric | None, cell: dict[str, str]) -> None:
        """Give event and value back the text they had before a program took them for numbers."""
        definition = None if metric is None else self.edition.definition(metric)
        if definition is None:
            return
        # An event may really be called "none"; a whole trace has no event at all.
        if definition.scope is Scope.TRACE and is_missing(cell["event"]):
            cell["event"] = ""
        number = whole_number(cell["value"])
        if definition.scale is Scale.LIKERT and number is not None:
            cell["value"] = str(number)

    def _check_texts(self, cell: dict[str, str]) -> None:
        for name, text in cell.items():
            limit = MAX_CHARACTERS.get(name)
            if not text.strip() and name not in OPTIONAL_COLUMNS:
                self.refuse(name, text, "a value")
            elif "\0" in text:
                self.refuse(name, text, "text without NUL characters")
            elif limit is not None and len(text) > limit:
                self.refuse(name, text, f"at most {limit} characters")
        if cell["rater"] and not USERNAME.fullmatch(cell["rater"]):
            self.refuse("rater", cell["rater"], "a user name of letters, digits and @ . + - _")

    def _metric(self, text: str) -> Metric | None:
        if text in set(Metric):
            return Metric(text)
        if text.strip():
            self.refuse("metric", text, "one of " + ", ".join(Metric))
        return None

    def _confidence(self, text: str) -> int | None:
        if is_missing(text):
            return None
        number = whole_number(text)
        if number is None or number > LARGEST_DIGIT:
            self.refuse("confidence", text, "1, 2, 3 or nothing")
            return None
        return number

    def _seconds(self, name: str, text: str) -> float | None:
        if is_missing(text):
            return None
        if SECONDS.fullmatch(text.strip()) and float(text) <= MAX_WATCHED_S:
            return float(text)
        self.refuse(name, text, "seconds from 0 to 86400, or nothing")
        return None

    def _choice(self, name: str, text: str) -> bool | None:
        if text.strip().lower() in YES_OR_NO:
            return YES_OR_NO[text.strip().lower()]
        if text.strip():
            self.refuse(name, text, "yes or no")
        return None

    def _time(self, text: str) -> datetime | None:
        try:
            time = datetime.fromisoformat(text)
            if time.tzinfo is not None:
                return self._past(text, time.astimezone(UTC))
        except (ValueError, OverflowError):
            pass
        if text.strip():
            self.refuse("rated_at", text, f"a time with its zone, such as {SAMPLE_TIME}")
        return None

    def _past(self, text: str, time: datetime) -> datetime | None:
        if not is_to_come(time, now=self.now):
            return time
        now = self.now.astimezone(UTC).isoformat(timespec="seconds")
        self.refuse("rated_at", text, f"none in the future; it is {now}")
        return None

    def _check_answer(
        self, metric: Metric, cell: dict[str, str], confidence: int | None, *, is_implied: bool
    ) -> None:
        definition = self.edition.definition(metric)
        if definition.scope is Scope.TRACE and cell["event"]:
            self.refuse("event", cell["event"], f"nothing, because {metric} is rated per trace")
        if definition.scope is Scope.EVENT and not cell["event"]:
            self.refuse("event", "", f"an event, because {metric} is rated per event")
        try:
            check_value(metric, cell["value"], confidence, edition=self.edition)
        except RatingValueError as error:
            self.refuse(error.field, error.value, error.expected)
        can_be_implied = any(
            rule.implies.get(metric) == cell["value"] for rule in self.edition.skip_rules
        )
        if is_implied and not can_be_implied:
            self.refuse("implied", "yes", f"no, because no skip rule gives {metric} this value")


def find_repeats(rows: Iterable[tuple[int, RatingRow]], file: str) -> list[Problem]:
    """Return a problem for each answer that is there twice, and each trace with two takes."""
    lines: dict[tuple[str, ...], int] = {}
    takes: dict[tuple[str, str], str] = {}
    problems = []
    for line, row in rows:
        place = f"row {line}"
        first = lines.setdefault(row.identity, line)
        if first != line:
            answer = f"{row.rater}, {row.trace}, {row.event or 'whole trace'}, {row.metric}"
            problems.append(
                Problem(
                    file, place, "", f"a second rating of {answer}", f"only that of row {first}"
                )
            )
        take = takes.setdefault((row.dataset, row.trace), row.take)
        if take != row.take:
            problems.append(
                problem(
                    file=file, place=place, field="take", value=row.take, expected=f"{take!r} again"
                )
            )
    return problems
