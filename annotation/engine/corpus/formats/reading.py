"""Untrusted text and JSON as typed values, each fault with its place.

A reader walks a JSON file through `Entry`, which knows where it is (`videos[3].segments[2]`). A
getter that meets a wrong value notes the fault and returns a harmless stand-in, so that one pass
finds every fault of a file; `Faults.raise_if_any` then refuses the file as a whole.
"""

import gc
import json
import math
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from annotation.engine.corpus.formats.errors import Faults, fault_of_file

MAX_FILE_BYTES = 200 * 1024 * 1024


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
        """Note a wrong value; `raw` has noted a missing one."""
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

    def intervals(self, field: str) -> tuple[tuple[float, float], ...]:
        """Pairs [start, end] in seconds that follow each other without overlap."""
        intervals = []
        for one in self.elements_of(field):
            pair = one.value
            if not isinstance(pair, list) or len(pair) != 2:
                one.fault("", pair, "two times, [start, end]")
                continue
            times = Entry({"start": pair[0], "end": pair[1]}, one.place, one.faults)
            start_s, end_s = times.number("start"), times.number("end")
            if not 0 <= start_s < end_s:
                one.fault("", pair, "0 <= start < end")
            intervals.append((start_s, end_s))
        for place, (before, after) in enumerate(pairwise(intervals), start=1):
            if round(1000 * after[0]) < round(1000 * before[1]):
                self.fault(f"{field}[{place}]", list(after), f"a start from {before[1]} s on")
        return tuple(intervals)


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
    with _no_collecting():
        return Entry(_parsed(text, path.name), "", Faults(path.name))


def read_json_lines(path: Path) -> list[Entry]:
    """The objects of a file with one per line, "line 3" each; blank lines are passed over.

    Raises `FormatError` for the first line that is no JSON. Lines end at line feeds alone: texts
    may hold other separators.
    """
    faults = Faults(path.name)
    with _no_collecting():
        entries = [
            Entry(_parsed(line, path.name, first_line=number), f"line {number}", faults)
            for number, line in enumerate(read_text(path).split("\n"), start=1)
            if line.strip()
        ]
    for entry in entries:
        entry.as_object()
    faults.raise_if_any()
    return entries


@contextmanager
def _no_collecting() -> Iterator[None]:
    """A parsed file holds no cycles; collecting garbage meanwhile would walk the growing tree again
    and again, and make the time for a long file grow faster than it.
    """
    was_collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_collecting:
            gc.enable()


def _parsed(text: str, file: str, *, first_line: int = 1) -> object:
    try:
        return json.loads(text, object_pairs_hook=object_of)
    except json.JSONDecodeError as error:
        place = f"line {first_line + error.lineno - 1} column {error.colno}"
        shown = text[error.pos : error.pos + 20]
        raise fault_of_file(file, shown, f"JSON ({error.msg})", place=place) from error
    except RepeatedKeyError as error:
        raise fault_of_file(file, str(error), "each key of an object once") from error
    except RecursionError as error:
        raise fault_of_file(file, "nested too deeply", "JSON of a usual depth") from error
    except ValueError as error:
        # Python refuses whole numbers of more than 4,300 digits.
        raise fault_of_file(file, str(error), "numbers of a usual length") from error


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
