"""Dataclasses from plain values: the JSON that `dataclasses.asdict` made, or a file of ours."""

from collections.abc import Callable, Mapping
from dataclasses import is_dataclass
from enum import Enum
from functools import cache
from types import NoneType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

Instance = TypeVar("Instance")
_types_of = cache(get_type_hints)


def from_stored(kind: Callable[..., Instance], stored: Mapping[str, Any]) -> Instance:
    """What was stored or comes with this code, so that nothing is checked.

    Fields are plain values, enumerations, dataclasses, tuples or mappings of these, or None.

    >>> from annotation.engine.videos.stills import Position, SpriteSheet
    >>> tile = {"time_s": 0.5, "frame": 12, "pts": 6}
    >>> sheet = {"columns": 10, "tile_width": 96, "tile_height": 54, "positions": [tile]}
    >>> from_stored(SpriteSheet, sheet).positions
    (Position(time_s=0.5, frame=12, pts=6),)
    """
    types = _types_of(kind)
    return kind(**{name: _value(types[name], value) for name, value in stored.items()})


def _value(shape: Any, value: Any) -> Any:
    parts = get_args(shape)
    if NoneType in parts:
        return None if value is None else _value(parts[0], value)
    if get_origin(shape) is Mapping:
        return {_value(parts[0], key): _value(parts[1], item) for key, item in value.items()}
    if get_origin(shape) is tuple:
        return tuple(_value(parts[0], item) for item in value)
    if isinstance(shape, type) and is_dataclass(shape):
        return from_stored(shape, value)
    return shape(value) if isinstance(shape, type) and issubclass(shape, Enum) else value
