"""What every reader needs to turn an untrusted file into typed values, each fault with its place.

A reader walks a JSON file through `Entry`, which knows where it is (`videos[3].segments[2]`), and a
table through `TableRow`. A getter that meets a wrong value notes the fault and returns a harmless
stand-in, so that one pass finds every fault of a file; `Faults.raise_if_any` then refuses the file
as a whole.
"""

import csv
import gc
import io
import json
import math
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from annotation.engine.corpus.formats.errors import FormatError, Problem, problem
from annotation.engine.corpus.procedure import ReadingWarning

MAX_FILE_BYTES = 200 * 1024 * 1024
# A file of another kind is wrong in every row; nobody reads more than this many of its faults.
MAX_PROBLEMS = 200


class Faults:
    """The faults found so far in one file; full when `most` are noted."""

    def __init__(self, file: str, *, most: int = MAX_PROBLEMS) -> None:
        self.file = file
        self.most = most
        self.problems: list[Problem] = []

    def add(self, place: str, field: str, value: object, expected: str, sentence: str = "") -> None:
        """Note one fault; raise `FormatError` at once when the list is full."""
        fault = problem(file=self.file, place=place, field=field, value=value, expected=expected)
        self.problems.append(replace(fault, sentence=sentence))
        if len(self.problems) >= self.most:
            raise FormatError(self.problems)

    def raise_if_any(self) -> None:
        """Raise `FormatError` with everything that was noted, if anything was."""
        if self.problems:
            raise FormatError(self.problems)


class WarningList:
    """What a reader noticed and could live with, in the order in which it noticed it."""

    def __init__(self) -> None:
        self._warnings: list[ReadingWarning] = []

    def add(self, where: str, message: str) -> None:
        self._warnings.append(ReadingWarning(where=where, message=message))

    def extend(self, warnings: Iterable[ReadingWarning]) -> None:
        self._warnings.extend(warnings)

    def as_tuple(self) -> tuple[ReadingWarning, ...]:
        return tuple(self._warnings)


def text_fault(value: object) -> str | None:
    """What a storable text should have been, or None where `value` is one.

    PostgreSQL refuses NUL, and a lone surrogate cannot be written to any UTF-8 store.
    """
    if not isinstance(value, str):
        return "text"
    if "\x00" in value:
        return "text without NUL characters"
    if not value.isascii():
        try:
            value.encode()
        except UnicodeEncodeError:
            return "text without lone surrogates"
    return None


@dataclass(frozen=True, slots=True)
class Entry:
    """One JSON value, where it stands, and where its faults are noted."""

    value: object
    place: str
    faults: Faults

    def fault(self, field: str, value: object, expected: str) -> None:
        self.faults.add(self.place, field, value, expected)

    def has(self, field: str) -> bool:
        return isinstance(self.value, dict) and field in self.value

    def raw(self, field: str) -> object:
        """The value of `field`, or None with a fault when it is missing."""
        if isinstance(self.value, dict):
            if field in self.value:
                return self.value[field]
            self.fault(field, None, "this field to be present")
        return None

    def _fault_if_there(self, field: str, expected: str) -> None:
        """That it is missing has been said already."""
        if isinstance(self.value, dict) and field in self.value:
            self.fault(field, self.value[field], expected)

    def _child_place(self, field: str) -> str:
        return f"{self.place}.{field}" if self.place else field

    def child(self, field: str) -> "Entry":
        """Any kind of value will do."""
        return Entry(self.raw(field), self._child_place(field), self.faults)

    def as_object(self) -> "Entry":
        """This entry if it is a JSON object; else an empty one, and a fault."""
        if isinstance(self.value, dict):
            return self
        self.fault("", self.value, "an object")
        return Entry({}, self.place, self.faults)

    def items(self) -> Iterator[tuple[str, "Entry"]]:
        """Yield key and value of an object whose keys are ids."""
        if not isinstance(self.value, dict):
            self.fault("", self.value, "an object")
            return
        for key, value in self.value.items():
            expected = text_fault(key)
            if expected:
                self.fault("key", key, expected)
            else:
                yield key, Entry(value, self._child_place(key), self.faults)

    def elements(self) -> list["Entry"]:
        if not isinstance(self.value, list):
            self.fault("", self.value, "a list")
            return []
        return [
            Entry(item, f"{self.place}[{index}]", self.faults)
            for index, item in enumerate(self.value)
        ]

    def elements_of(self, field: str) -> list["Entry"]:
        if not self.has(field):
            self.raw(field)
            return []
        return self.child(field).elements()

    def objects(self, field: str) -> list["Entry"]:
        """The objects of the list `field`; elements that are none are noted and left out."""
        return [item for item in self.elements_of(field) if item.as_object().value is item.value]

    def as_text(self) -> str:
        """This entry if it is a text that is not blank; else "", and a fault."""
        expected = text_fault(self.value)
        if expected is None and isinstance(self.value, str):
            if self.value.strip():
                return self.value
            expected = "text that is not empty"
        self.fault("", self.value, expected or "text")
        return ""

    def text(self, field: str, *, is_required: bool = True) -> str:
        """Where it need not be there and is absent or null: ""."""
        if not is_required and (not self.has(field) or self.raw(field) is None):
            return ""
        value = self.raw(field)
        expected = text_fault(value)
        if expected is None:
            assert isinstance(value, str)
            if value.strip() or not is_required:
                return value
            expected = "text that is not empty"
        self._fault_if_there(field, expected)
        return ""

    def integer(self, field: str) -> int:
        value = self.raw(field)
        if type(value) is int:  # True is none
            return value
        self._fault_if_there(field, "a whole number")
        return 0

    def boolean(self, field: str) -> bool:
        value = self.raw(field)
        if isinstance(value, bool):
            return value
        self._fault_if_there(field, "true or false")
        return False

    def identifier(self, field: str) -> str:
        """An id, which sources write as a text or as a whole number, as text."""
        value = self.raw(field)
        if type(value) is int:
            return str(value)
        if isinstance(value, str) and text_fault(value) is None and value.strip():
            return value
        self._fault_if_there(field, "an id: text or a whole number")
        return ""

    def number(self, field: str) -> float:
        value = self.raw(field)
        if isinstance(value, int | float) and not isinstance(value, bool):
            # A whole number can be too big for any float.
            with suppress(OverflowError):
                if math.isfinite(float(value)):
                    return float(value)
        self._fault_if_there(field, "a finite number")
        return 0.0

    def times(self, start_field: str, end_field: str) -> tuple[float, float]:
        """Start and end in seconds: finite, not negative, not inverted."""
        start_s, end_s = self.number(start_field), self.number(end_field)
        if start_s < 0:
            self.fault(start_field, start_s, "a time of 0 seconds or later")
        if end_s < start_s:
            self.fault(end_field, end_s, f"a time not before the start, {start_s}")
        return start_s, end_s


def fault_of_file(
    file: str,
    value: object,
    expected: str,
    *,
    place: str = "",
    field: str = "",
    sentence: str = "",
) -> FormatError:
    """The error for a file that cannot be read at all."""
    fault = problem(file=file, place=place, field=field, value=value, expected=expected)
    return FormatError([replace(fault, sentence=sentence)])


def read_bytes(path: Path) -> bytes:
    """Raise `FormatError` when the file is unreadable or too big."""
    try:
        size = path.stat().st_size
        if size > MAX_FILE_BYTES:
            raise fault_of_file(path.name, size, f"at most {MAX_FILE_BYTES} bytes", place="size")
        return path.read_bytes()
    except OSError as error:
        reason = error.strerror or str(error)
        raise fault_of_file(path.name, reason, "a file that can be read") from error


def read_text(path: Path) -> str:
    """A byte order mark is dropped, anything but UTF-8 is refused."""
    return decode(read_bytes(path), path.name, expected="text in UTF-8", shown_bytes=4)


def decode(
    content: bytes, file: str, *, field: str = "", expected: str = "UTF-8", shown_bytes: int = 1
) -> str:
    """The text of a file's content; raises `FormatError` with the byte that is not UTF-8."""
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        wrong = content[error.start : error.start + shown_bytes]
        place = f"byte {error.start}"
        raise fault_of_file(file, wrong, expected, place=place, field=field) from error


class RepeatedKeyError(ValueError):
    """A JSON object has the same key twice, of which a plain parser would keep the last."""


def object_of(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """A parsed JSON object, for `json.loads`; raises `RepeatedKeyError`."""
    made = dict(pairs)
    if len(made) < len(pairs):
        seen: set[str] = set()
        for key, _value in pairs:
            if key in seen:
                raise RepeatedKeyError(key)
            seen.add(key)
    return made


def read_json(path: Path) -> Entry:
    """The root of a JSON file; raises `FormatError` with line and column."""
    text = read_text(path)
    # A parsed file holds no cycles; collecting garbage meanwhile would walk the growing tree again
    # and again, and make the time for a long file grow faster than it.
    was_collecting = gc.isenabled()
    gc.disable()
    try:
        value = json.loads(text, object_pairs_hook=object_of)
    except json.JSONDecodeError as error:
        place = f"line {error.lineno} column {error.colno}"
        shown = text[error.pos : error.pos + 20]
        raise fault_of_file(path.name, shown, f"JSON ({error.msg})", place=place) from error
    except RepeatedKeyError as error:
        raise fault_of_file(path.name, str(error), "each key of an object once") from error
    except RecursionError as error:
        raise fault_of_file(path.name, "nested too deeply", "JSON of a usual depth") from error
    except ValueError as error:
        # Python refuses whole numbers of more than 4,300 digits.
        raise fault_of_file(path.name, str(error), "numbers of a usual length") from error
    finally:
        if was_collecting:
            gc.enable()
    return Entry(value, "", Faults(path.name))


def read_csv_rows(path: Path) -> list[tuple[int, list[str]]]:
    """The rows that are not blank as (line number from 1, cells)."""
    return filled_rows(read_text(path), path.name)


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
    """Digits with a point; what a comma would mean nobody can know."""
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


def files_under(path: Path, suffix: str) -> list[Path]:
    """The files below the folder `path` that end in `suffix`, or `path` itself, sorted."""
    if path.is_dir():
        return sorted(item for item in path.rglob(f"*{suffix}") if item.is_file())
    return [path]


def files_named(path: Path, name: str) -> list[Path]:
    """The files called `name` below the folder `path`; none where that is a file."""
    return sorted(item for item in path.rglob(name) if item.is_file())


def find_file(path: Path, name: str) -> Path:
    """`path` if it is a file, else the one file called `name` below it."""
    if not path.is_dir():
        return path
    found = files_named(path, name)
    if len(found) == 1:
        return found[0]
    expected = f"one file {name} in this folder"
    if not found:
        sentence = f"No {name} in these files."
        raise fault_of_file(path.name, "no such file", expected, sentence=sentence)
    raise fault_of_file(path.name, [str(item.relative_to(path)) for item in found], expected)


def note_repeats(entries: Iterable[tuple[str, str]], faults: Faults, field: str) -> None:
    """Note every id of (id, place) pairs that stands at two places."""
    first_places: dict[str, str] = {}
    for uid, place in entries:
        if not uid:
            continue  # already noted where it was read
        if uid in first_places:
            expected = f"each {field} once (first at {first_places[uid]})"
            faults.add(place, field, uid, expected)
        first_places.setdefault(uid, place)
