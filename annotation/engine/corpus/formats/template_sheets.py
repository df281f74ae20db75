"""The rows of the annotators' workbook, from .xlsx and from .csv alike."""

import re
import struct
import warnings as python_warnings
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING
from xml.etree.ElementTree import ParseError
from xml.parsers import expat

from annotation.engine.corpus.formats.csv_tables import read_csv_rows
from annotation.engine.corpus.formats.errors import FormatError, fault_of_file
from annotation.engine.corpus.formats.reading import read_bytes
from annotation.engine.corpus.procedure import ReadingWarning
from annotation.engine.csv_cells import ROW_NAMES, is_missing, whole_number

if TYPE_CHECKING:
    from openpyxl.worksheet.worksheet import Worksheet

# Columns A to O of the template; names are compared without case, blanks and what follows them.
HEADERS = ("dataset", "video with mistake id", "step id", "correct procedure", "procedure with mis")
COLUMN_COUNT = 15
# Beyond them a sheet may name the rater of each row; further right nothing is looked at.
MAX_COLUMNS = 64
FIRST_RATING_COLUMN = 5
EPISODE_COLUMN = 14
# The cells of a workbook take some fifty times their size on disk while it is open.
MAX_UNPACKED_BYTES = 50 * 1024 * 1024
# The size of an empty sheet in the format.
SHEET_COLUMNS = 16_384
SHEET_ROWS = 1_048_576
# openpyxl makes an object of each of them, and one line of a sheet can merge seventeen billion.
MAX_MERGED_CELLS = 100_000
# Sheets longer than this are formatted to their end rather than filled.
MAX_ROWS = 100_000
# The fill with which the template shows a step that was left out.
DELETED_FILL = "FFFF0000"
DIGITS = re.compile(r"\d{1,9}", re.ASCII)
URL = re.compile(r"https?://\S+")
# zipfile and openpyxl let through whatever their parsers raise on a damaged workbook.
DAMAGED_WORKBOOK_ERRORS = (
    ArithmeticError,
    AttributeError,
    EOFError,
    LookupError,
    OSError,
    ParseError,
    RuntimeError,
    TypeError,
    ValueError,
    struct.error,
    zipfile.BadZipFile,
    zlib.error,
)


@dataclass(frozen=True, slots=True)
class SheetRow:
    """One row below the header; ids are "" where the cell holds none.

    `written_id` is what column C holds where that is no whole number. `is_to_rate` tells a row with
    drop-downs or ratings, `is_episode_row` one with a place for, or a rating of, the whole video.
    `number` counts as the file does, `ratings` are the cells F to O, and `more` those beyond.
    """

    number: int
    place: str
    dataset: str
    video_id: str
    step_id: str
    written_id: str
    correct: str
    performed: str
    is_to_rate: bool
    is_episode_row: bool
    is_shown_deleted: bool
    ratings: tuple[str, ...]
    more: tuple[str, ...]

    @property
    def has_text(self) -> bool:
        return bool(self.correct or self.performed)

    @property
    def rating_count(self) -> int:
        return sum(map(bool, self.ratings))


@dataclass(frozen=True, slots=True)
class Sheet:
    """The rows of one sheet with the template's columns; a table .csv is one without a name."""

    name: str
    headers: tuple[str, ...]
    rows: tuple[SheetRow, ...]


@dataclass(frozen=True, slots=True)
class Workbook:
    """The sheets of a file that have the template's columns, and the names of the others."""

    sheets: tuple[Sheet, ...]
    others: tuple[str, ...] = ()
    warnings: tuple[ReadingWarning, ...] = ()


def _text_of(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value).strip()


def _id_of(text: str) -> str:
    """An id; a formula without its value and an error such as #NAME? are none.

    A whole number that a program took for another kind of number (2.0) is the id again.
    """
    if text.startswith(("#", "=")) or is_missing(text):
        return ""
    number = None if DIGITS.fullmatch(text) else whole_number(text)
    return text if number is None else str(number)


def _without_link(text: str) -> str:
    return URL.sub("", text).strip() or text


def template_start(cells: Sequence[str]) -> int | None:
    """Where the template's columns begin in a header, None where these are not there.

    They are the first, or the second where pandas or R put a column of row names before them.
    """
    names = [" ".join(cell.lower().split()) for cell in cells]
    for start in (0, 1) if cells and cells[0] in ROW_NAMES else (0,):
        found = names[start : start + len(HEADERS)]
        if len(found) == len(HEADERS) and all(map(str.startswith, found, HEADERS)):
            return start
    return None


def _row_of(
    number: int,
    place: str,
    cells: Sequence[str],
    *,
    has_rating_menu: bool = False,
    has_episode_menu: bool = False,
    is_shown_deleted: bool = False,
) -> SheetRow:
    filled = [*cells, *[""] * COLUMN_COUNT]
    ratings = tuple(
        "" if is_missing(cell) else cell for cell in filled[FIRST_RATING_COLUMN:COLUMN_COUNT]
    )
    step_id = _id_of(filled[2])
    is_number = bool(DIGITS.fullmatch(step_id))
    return SheetRow(
        number=number,
        place=place,
        dataset=_id_of(filled[0]),
        video_id=_id_of(filled[1]),
        step_id=step_id if is_number else "",
        written_id="" if is_number else step_id,
        correct=_without_link(filled[3]),
        performed=_without_link(filled[4]),
        is_to_rate=has_rating_menu or any(ratings[:-1]),
        is_episode_row=has_episode_menu or bool(ratings[-1]),
        is_shown_deleted=is_shown_deleted,
        ratings=ratings,
        more=tuple(cells[COLUMN_COUNT:MAX_COLUMNS]),
    )


def _header_error(file: str, header: object) -> FormatError:
    expected = (
        "the columns Dataset, Video with mistake ID, Step ID, Correct Procedure, Procedure with "
        "mistake"
    )
    return fault_of_file(file, header, expected, place="row 1")


def _rows_with_menu(sheet: "Worksheet", column: int) -> frozenset[int]:
    """The rows whose cell in `column` (from 1) has a drop-down."""
    rows: set[int] = set()
    for validation in sheet.data_validations.dataValidation:
        for cells in validation.sqref.ranges:
            if cells.min_col <= column <= cells.max_col:
                rows.update(range(cells.min_row, min(cells.max_row, MAX_ROWS) + 1))
    return frozenset(rows)


def _merged_cells_of(content: IO[bytes]) -> int:
    """How many cells the XML merges; what is no XML merges none that openpyxl would see."""
    from openpyxl.utils.cell import range_boundaries  # noqa: PLC0415 - as below

    count = 0

    def start(name: str, attributes: dict[str, str]) -> None:
        nonlocal count
        if not name.endswith("}mergeCell"):
            return
        with suppress(TypeError, ValueError):  # what is no range such as A1:B9
            left, top, right, bottom = range_boundaries(attributes.get("ref", ""))
            columns = (right or SHEET_COLUMNS) - (left or 1) + 1
            count += columns * ((bottom or SHEET_ROWS) - (top or 1) + 1)

    parser = expat.ParserCreate(namespace_separator="}")
    parser.StartElementHandler = start
    with suppress(expat.ExpatError):
        parser.ParseFile(content)
    return count


def _check_archive(path: Path) -> None:
    """Refuse a workbook that grows too big when unpacked, or whose merged cells fill the memory."""
    try:
        with zipfile.ZipFile(path) as archive:
            size = sum(item.file_size for item in archive.infolist())
            merged_count = 0
            for name in archive.namelist() if size <= MAX_UNPACKED_BYTES else ():
                with archive.open(name) as content:
                    merged_count += _merged_cells_of(content)
    except DAMAGED_WORKBOOK_ERRORS as error:
        raise fault_of_file(path.name, str(error), "a workbook .xlsx") from error
    if size > MAX_UNPACKED_BYTES:
        expected = f"at most {MAX_UNPACKED_BYTES} bytes when unpacked"
        raise fault_of_file(path.name, size, expected, place="size")
    if merged_count > MAX_MERGED_CELLS:
        expected = f"at most {MAX_MERGED_CELLS} of them"
        raise fault_of_file(path.name, merged_count, expected, place="merged cells")


def _read_xlsx(path: Path) -> Workbook:
    # It takes a tenth of a second to load, which each process of a site would at its start.
    import openpyxl  # noqa: PLC0415

    read_bytes(path)  # for its checks of size and access
    _check_archive(path)
    try:
        with python_warnings.catch_warnings(record=True) as caught:
            python_warnings.simplefilter("always")
            sheets = openpyxl.load_workbook(path, data_only=True).worksheets
    except DAMAGED_WORKBOOK_ERRORS as error:
        shown = f"{type(error).__name__}: {error}"
        raise fault_of_file(path.name, shown, "a workbook .xlsx that opens") from error
    found, others = [], []
    for sheet in sheets:
        width = min(max(sheet.max_column, COLUMN_COUNT), MAX_COLUMNS)
        headers = [_text_of(cell.value) for cell in next(sheet.iter_rows(1, 1, 1, width))]
        if template_start(headers) != 0:
            others.append(sheet.title)
            continue
        if sheet.max_row > MAX_ROWS:
            raise fault_of_file(path.name, sheet.max_row, f"at most {MAX_ROWS} rows", place="rows")
        found.append(Sheet(sheet.title, tuple(headers), tuple(_rows_of(sheet, width))))
    if not found:
        raise _header_error(path.name, others)
    messages = tuple(ReadingWarning(path.name, str(item.message)) for item in caught)
    return Workbook(tuple(found), tuple(others), messages)


def _rows_of(sheet: "Worksheet", width: int) -> Iterator[SheetRow]:
    rating_rows = _rows_with_menu(sheet, FIRST_RATING_COLUMN + 1)
    episode_rows = _rows_with_menu(sheet, EPISODE_COLUMN + 1)
    for number, cells in enumerate(
        sheet.iter_rows(min_row=2, max_row=sheet.max_row, max_col=width), start=2
    ):
        fill = cells[4].fill
        yield _row_of(
            number,
            f"row {number}",
            [_text_of(cell.value) for cell in cells],
            has_rating_menu=number in rating_rows,
            has_episode_menu=number in episode_rows,
            is_shown_deleted=fill.fill_type == "solid" and fill.fgColor.rgb == DELETED_FILL,
        )


def read_workbook(path: Path) -> Workbook:
    """The sheets of a workbook .xlsx, or the one of a table .csv; raises `FormatError`."""
    if path.suffix.lower() == ".xlsx":
        return _read_xlsx(path)
    lines = [(line, [cell.strip() for cell in cells]) for line, cells in read_csv_rows(path)]
    headers = lines[0][1] if lines else []
    start = template_start(headers)
    if start is None:
        raise _header_error(path.name, headers if lines else "no rows")
    rows = (_row_of(line, f"line {line}", cells[start:]) for line, cells in lines[1:])
    return Workbook((Sheet("", tuple(headers[start:]), tuple(rows)),))
