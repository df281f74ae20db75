"""PIE-V's own JSON: a `Reading` written down completely, so that it can be read back unchanged.

One object: `format` ("piev-corpus"), `version` (1), and what the dataclasses of `procedure` hold,
field by field. A field that has its default value may be left out, and `to_dict` leaves it out:
a data set of one's own can be written by hand with little more than texts and times.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import MISSING, fields, is_dataclass
from enum import StrEnum
from functools import cache, partial
from pathlib import Path
from types import NoneType
from typing import Any, get_args, get_origin, get_type_hints

from annotation.engine.corpus.formats.errors import Faults, fault_of_file
from annotation.engine.corpus.formats.native_checks import check_reading
from annotation.engine.corpus.formats.reading import Entry, read_json
from annotation.engine.corpus.procedure import Reading, ReadingWarning, TraceStep
from annotation.engine.taxonomy import EventType, event_type, event_types

TITLE = "PIE-V's own JSON"
DESCRIPTION = "A JSON file of takes and traces as PIE-V itself writes them (format piev-corpus)"
IS_VERIFIED = True

FORMAT_NAME = "piev-corpus"
VERSION = 1

TIMES = ("start_s", "end_s")
# Texts without a default that are blank where the file does not give them.
MAY_BE_BLANK = {(TraceStep, "text"), (ReadingWarning, "where")}

Reader = Callable[[Entry, str], Any]


def read(path: Path) -> Reading:
    """Raise `FormatError` with every fault of the file."""
    if path.is_dir():
        sentence = "PIE-V's own format is one JSON file, and these are several files."
        raise fault_of_file(path.name, "a folder", "one JSON file", sentence=sentence)
    return _reading_of(read_json(path))


def from_dict(content: object, *, file: str = "") -> Reading:
    """What `to_dict` was given; `file` is how faults name the source."""
    return _reading_of(Entry(content, "", Faults(file)))


def to_dict(reading: Reading) -> dict[str, object]:
    """The reading as JSON values; `from_dict` gives an equal reading back."""
    written = _json_value(reading)
    assert isinstance(written, dict)
    return {"format": FORMAT_NAME, "version": VERSION, **written}


def _json_value(value: object) -> object:
    if isinstance(value, StrEnum):
        return value.value
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, tuple):
        return [_json_value(item) for item in value]
    if is_dataclass(value) and not isinstance(value, type):
        written = {}
        for field in fields(value):
            default = field.default  # MISSING, which no value equals, where there is none
            if field.default_factory is not MISSING:
                default = field.default_factory()
            if getattr(value, field.name) != default:
                written[field.name] = _json_value(getattr(value, field.name))
        return written
    return value


def _reading_of(entry: Entry) -> Reading:
    root = entry.as_object()
    if root.raw("format") != FORMAT_NAME:
        root.fault("format", root.raw("format") if root.has("format") else None, FORMAT_NAME)
    if root.raw("version") != VERSION:
        root.fault("version", root.raw("version") if root.has("version") else None, str(VERSION))
    root.faults.raise_if_any()
    reading: Reading = _read(root, Reading, beside=("format", "version"))
    # Values of a wrong kind stand in as blanks: what they belong to is checked once they are right.
    root.faults.raise_if_any()
    check_reading(reading, root.faults)
    root.faults.raise_if_any()
    return reading


@cache
def _fields_of(kind: Any) -> Mapping[str, tuple[Reader, bool]]:
    """How each field of a dataclass is read, and whether a file has to give it."""
    types, found = get_type_hints(kind), {}
    for item in fields(kind):
        is_needed = item.default is item.default_factory is MISSING
        is_needed = is_needed and (kind, item.name) not in MAY_BE_BLANK
        found[item.name] = _reader_of(types[item.name], is_needed=is_needed), is_needed
    return found


def _reader_of(shape: Any, *, is_needed: bool) -> Reader:
    origin, parts = get_origin(shape), get_args(shape)
    if NoneType in parts:
        # What may be None is not blank where it is given.
        is_type = shape == EventType | None
        given = _event_type_of if is_type else _reader_of(parts[0], is_needed=True)
        return lambda entry, name: None if entry.raw(name) is None else given(entry, name)
    if origin is Mapping:
        return _counts_of if parts[1] is int else _texts_of
    if origin is tuple and is_dataclass(parts[0]):
        kind: Any = parts[0]
        return lambda entry, name: tuple(_read(item, kind) for item in entry.objects(name))
    if origin is tuple and parts[0] is str:
        return lambda entry, name: tuple(item.as_text() for item in entry.elements_of(name))
    if origin is tuple and get_args(parts[0])[0] is float:
        return Entry.intervals
    if origin is tuple:
        return _pairs_of
    if shape is str:
        return partial(Entry.text, is_required=is_needed)
    if issubclass(shape, StrEnum):
        return partial(_word_of, words=shape)
    return Entry.boolean if shape is bool else Entry.integer


def _read(entry: Entry, kind: Any, *, beside: Collection[str] = ()) -> Any:
    """A dataclass field by field; fields that it does not have are faults, but for `beside`."""
    known = _fields_of(kind)
    for name, item in entry.items():
        if name not in known and name not in beside:
            expected = ", ".join(sorted({*known, *beside}))
            entry.fault(name, item.value, f"one of the fields {expected}")
    values: dict[str, Any] = {}
    if _is_given(entry, "start_s") or _is_given(entry, "end_s"):
        values["start_s"], values["end_s"] = entry.times("start_s", "end_s")
    for name, (read_field, is_needed) in known.items():
        if name not in TIMES and (is_needed or entry.has(name)):
            values[name] = read_field(entry, name)
        elif (kind, name) in MAY_BE_BLANK:
            values[name] = ""
    return kind(**values)


def _is_given(entry: Entry, field: str) -> bool:
    return entry.has(field) and entry.raw(field) is not None


def _event_type_of(entry: Entry, field: str) -> EventType | None:
    label, known = entry.raw(field), event_types()
    if isinstance(label, str) and label in known:
        return event_type(label)
    entry.fault(field, label, f"one of {', '.join(known)}")
    return None


def _word_of(entry: Entry, field: str, words: type[StrEnum]) -> StrEnum:
    """The word of a closed set; its first one stands in for any other value."""
    value = entry.raw(field)
    if isinstance(value, str) and value in words._value2member_map_:
        return words(value)
    if entry.has(field):
        entry.fault(field, value, f"one of {', '.join(words)}")
    return next(iter(words))


def _pairs_of(entry: Entry, field: str) -> tuple[tuple[str, str], ...]:
    pairs = []
    for item in entry.elements_of(field):
        texts = tuple(part.as_text() for part in item.elements())
        if len(texts) == 2:
            pairs.append((texts[0], texts[1]))
        else:
            item.fault("", item.value, "a list of two texts")
    return tuple(pairs)


def _counts_of(entry: Entry, field: str) -> dict[str, int]:
    counts = entry.child(field)
    return {key: counts.integer(key) for key, _item in counts.items()}


def _texts_of(entry: Entry, field: str) -> dict[str, str]:
    return {key: item.as_text() for key, item in entry.child(field).items()}
