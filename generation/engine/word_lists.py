"""Word lists in TOML files, checked against a shape when they are loaded.

A shape is a dataclass, whose fields are the keys of the file, or a type made of `dict`, `tuple`,
`frozenset`, `str` and enumerations. A set of words may be written as one text with spaces between
the words, or as a list if entries contain spaces.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from pathlib import Path
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

T = TypeVar("T")


class WordListError(Exception):
    """A word list does not have its shape."""

    def __init__(self, where: str, value: object, expected: str) -> None:
        super().__init__(f"{where} is {value!r}; expected {expected}")


def word_set(text: str) -> frozenset[str]:
    """The words of a text as a set, for short lists that only one module needs."""
    return frozenset(text.split())


def load_words(path: Path, shape: type[T]) -> T:
    """The content of a file in a shape; raises `WordListError` with file, key and value."""
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise WordListError(path.name, str(error), "TOML") from error
    read: T = _shaped(content, shape, path.name)
    return read


def _shaped(value: Any, shape: Any, where: str) -> Any:
    kind: Any = get_origin(shape) or shape
    inner = get_args(shape)
    if is_dataclass(kind) and isinstance(kind, type) and isinstance(value, Mapping):
        hints = get_type_hints(kind)
        names = {field.name for field in fields(kind)}
        if names != set(value):
            wrong = ", ".join(sorted(names ^ set(value)))
            raise WordListError(where, wrong, f"the keys {', '.join(sorted(names))}")
        return kind(
            **{key: _shaped(item, hints[key], f"{where}, {key}") for key, item in value.items()}
        )
    if kind is dict and isinstance(value, Mapping):
        return {
            _shaped(key, inner[0], f"{where}, a key"): _shaped(item, inner[1], f"{where}, {key}")
            for key, item in value.items()
        }
    if kind is frozenset and isinstance(value, str):
        value = value.split()
    if kind in {frozenset, tuple} and isinstance(value, list):
        items = [_shaped(item, inner[0], f"{where}, {n}") for n, item in enumerate(value, 1)]
        if len(set(items)) < len(items):
            twice = next(item for item in items if items.count(item) > 1)
            raise WordListError(where, twice, "each entry once")
        return kind(items)
    if isinstance(kind, type) and issubclass(kind, Enum) and value in list(kind):
        return kind(value)
    if kind is str and isinstance(value, str) and value.strip():
        return value
    expected = _NAMES.get(kind, "a table")
    if issubclass(kind, Enum):
        expected = f"one of {', '.join(str(member.value) for member in kind)}"
    raise WordListError(where, value, expected)


_NAMES: dict[type, str] = {frozenset: "words", tuple: "a list", str: "a text"}
