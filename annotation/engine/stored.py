"""Dataclasses from plain values: the JSON that `dataclasses.asdict` made, or a file of ours."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import is_dataclass
from enum import Enum
from functools import cache
from types import NoneType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

Instance = TypeVar("Instance")


def from_stored(kind: Callable[..., Instance], stored: Mapping[str, Any]) -> Instance:
    """What was stored or comes with this code, so that nothing is checked.

    Fields are plain values, enumerations, dataclasses, tuples, sequences or mappings of these, or
    None; sequences become tuples.

    >>> from annotation.engine.videos.stills import Position, SpriteSheet
    >>> tile = {"time_s": 0.5, "frame": 12, "pts": 6}
    >>> sheet = {"columns": 10, "tile_width": 96, "tile_height": 54, "positions": [tile]}
    >>> from_stored(SpriteSheet, sheet).positions
    (Position(time_s=0.5, frame=12, pts=6),)
    """
    instance: Instance = (_reader(kind) or _same)(stored)
    return instance


@cache
def _reader(shape: Any) -> Callable[[Any], Any] | None:
    """Makes a value of the shape from what was stored; None where that is the value already.

    Made once for each shape: pages read thousands of values of a few shapes.
    """
    parts = get_args(shape)
    if NoneType in parts:
        inner = _reader(parts[0])
        return inner and (lambda value: None if value is None else inner(value))
    if get_origin(shape) is Mapping:
        key, item = (_reader(part) or _same for part in parts[:2])
        return lambda value: {key(name): item(held) for name, held in value.items()}
    if get_origin(shape) is tuple and len(set(parts) - {Ellipsis}) > 1:
        places = [_reader(part) or _same for part in parts]
        return lambda value: tuple(read(held) for read, held in zip(places, value, strict=True))
    if get_origin(shape) in (tuple, Sequence):
        each = _reader(parts[0])
        return tuple if each is None else lambda value: tuple(map(each, value))
    if isinstance(shape, type) and is_dataclass(shape):
        readers = {name: _reader(part) for name, part in get_type_hints(shape).items()}
        changed = [(name, read) for name, read in readers.items() if read is not None]

        def build(stored: Mapping[str, Any]) -> Any:
            own = {name: read(stored[name]) for name, read in changed if name in stored}
            return shape(**{**stored, **own})

        return build
    return shape if isinstance(shape, type) and issubclass(shape, Enum) else None


def _same(value: Any) -> Any:
    return value
