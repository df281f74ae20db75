"""A fast check that an answer fits its schema, for the part of JSON Schema that our schemas use.

Running the general validator over a long answer costs more than recording it, and most answers fit.
If this check says False, the general validator decides, and says what is wrong.
"""

import json
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

Fits = Callable[[Any], bool]

_TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
}
_KEYWORDS = frozenset({"type", "properties", "required", "additionalProperties", "items", "enum"})


def certainly_fits(schema: Mapping[str, Any], value: Any) -> bool:
    """True only if the value fits; False means that it does not, or that this check cannot tell.

    >>> certainly_fits({"type": "array", "items": {"type": "integer"}}, [1, 2])
    True
    >>> certainly_fits({"type": "integer", "minimum": 1}, 2)
    False
    """
    return _check_of(json.dumps(schema))(value)


@lru_cache(64)
def _check_of(schema_text: str) -> Fits:
    return _check(json.loads(schema_text))


def _check(schema: Mapping[str, Any]) -> Fits:
    stated = schema.get("type")
    names = [stated] if isinstance(stated, str) else stated or []
    types = frozenset(kind for name in names for kind in _TYPES.get(name, ()))
    if not schema.keys() <= _KEYWORDS:
        return _never
    if "enum" in schema:
        # With the type, because True equals 1 in Python but not in JSON.
        options = [(type(option), option) for option in schema["enum"]]
        return lambda value: type(value) in types and (type(value), value) in options
    properties = schema.get("properties")
    if types == {dict} and properties is not None and schema.get("additionalProperties") is False:
        checks = {name: _check(inner) for name, inner in properties.items()}
        needed = frozenset(schema.get("required", ()))
        return lambda value: (
            type(value) is dict
            and checks.keys() >= value.keys() >= needed
            and all(checks[name](item) for name, item in value.items())
        )
    if types == {list} and "items" in schema:
        item_fits = _check(schema["items"])
        return lambda value: type(value) is list and all(map(item_fits, value))
    return _never if types & {dict, list} else lambda value: type(value) in types


def _never(value: Any) -> bool:
    return False
