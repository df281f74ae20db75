"""Check that a JSON schema is one that strict structured output accepts.

Source of the rules: OpenAI's guide "Structured model outputs", section "Supported schemas". A
server answers a schema that breaks one with 400, after which the published code silently went on
without a schema; here such a schema is an error before anything is sent.
"""

import json
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

MAX_NESTING = 10
MAX_PROPERTIES = 5000
MAX_ENUM_VALUES = 1000
REFUSED_KEYWORDS = (
    "oneOf",
    "allOf",
    "not",
    "if",
    "then",
    "else",
    "dependentRequired",
    "dependentSchemas",
    "patternProperties",
    "prefixItems",
)


class NotStrictError(ValueError):
    """The schema breaks a rule of strict mode; `problems` names place and rule of each."""

    def __init__(self, problems: tuple[str, ...]) -> None:
        super().__init__("; ".join(problems))
        self.problems = problems


def check_strict_schema(schema: Mapping[str, Any]) -> None:
    """Raise NotStrictError with everything that strict mode would refuse."""
    problems = _problems_of(json.dumps(schema))
    if problems:
        raise NotStrictError(problems)


@lru_cache(64)
def _problems_of(schema_text: str) -> tuple[str, ...]:
    # Checked for every request, and there are few schemas.
    return strict_schema_problems(json.loads(schema_text))


def strict_schema_problems(schema: Mapping[str, Any]) -> tuple[str, ...]:
    """Everything that strict mode would refuse, each with its place."""
    is_object = schema.get("type") == "object" and "anyOf" not in schema
    root = () if is_object else ("$: the root is not an object",)
    parts = list(_parts(schema))
    sizes = (
        ("properties", MAX_PROPERTIES, sum(len(part.get("properties", ())) for part in parts)),
        ("enum values", MAX_ENUM_VALUES, sum(len(part.get("enum", ())) for part in parts)),
    )
    too_many = [
        f"$: {count} {name}; at most {most} are accepted"
        for name, most, count in sizes
        if count > most
    ]
    return (*root, *_problems(schema, "$", 0), *too_many)


def _problems(schema: Any, place: str, depth: int) -> Iterator[str]:
    if not isinstance(schema, Mapping):
        yield f"{place}: {schema!r}; expected a schema object"
        return
    for keyword in REFUSED_KEYWORDS:
        if keyword in schema:
            yield f"{place}: {keyword} is not accepted"
    if not {"type", "anyOf", "enum", "const", "$ref"} & set(schema):
        yield f"{place}: says no type"
    if _is_of_type(schema, "object"):
        yield from _object_problems(schema, place, depth + 1)
    if _is_of_type(schema, "array"):
        yield from _problems(schema.get("items"), f"{place}[]", depth + 1)
    for number, option in enumerate(schema.get("anyOf", ())):
        yield from _problems(option, f"{place}|{number}", depth)
    for name, definition in schema.get("$defs", {}).items():
        yield from _problems(definition, f"{place}.$defs.{name}", depth)


def _object_problems(schema: Mapping[str, Any], place: str, depth: int) -> Iterator[str]:
    properties = schema.get("properties")
    if not isinstance(properties, Mapping):
        yield f"{place}: an object without properties"
        return
    if schema.get("additionalProperties") is not False:
        yield f"{place}: additionalProperties is not false"
    if depth > MAX_NESTING:
        yield f"{place}: nested deeper than {MAX_NESTING}"
        return
    required = set(schema.get("required", ()))
    for name in sorted(set(properties) - required):
        yield f"{place}.{name}: not in required"
    for name in sorted(required - set(properties)):
        yield f"{place}.{name}: required but not among the properties"
    for name, inner in properties.items():
        yield from _problems(inner, f"{place}.{name}", depth)


def _is_of_type(schema: Mapping[str, Any], name: str) -> bool:
    stated = schema.get("type")
    return stated == name or (isinstance(stated, list) and name in stated)


def _parts(schema: Any) -> Iterator[Mapping[str, Any]]:
    if not isinstance(schema, Mapping):
        return
    yield schema
    inner = [schema.get("items"), *schema.get("anyOf", ())]
    for named in (schema.get("properties"), schema.get("$defs")):
        if isinstance(named, Mapping):
            inner.extend(named.values())
    for part in inner:
        yield from _parts(part)
