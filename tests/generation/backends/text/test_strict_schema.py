import pytest

from generation.backends.text.strict_schema import (
    NotStrictError,
    check_strict_schema,
    strict_schema_problems,
)

TEXT = {"type": "string"}


def thing(**properties):
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def nested(depth):
    schema = thing(leaf=TEXT)
    for _ in range(depth - 1):
        schema = thing(inner=schema)
    return schema


@pytest.mark.parametrize(
    "schema",
    [
        thing(a=TEXT),
        thing(a={"anyOf": [{"type": "integer"}, {"type": "null"}]}),
        thing(a={"type": ["string", "null"]}, b={"enum": ["x", None]}),
        thing(rows={"type": "array", "items": thing(a=TEXT)}),
        {**thing(a={"$ref": "#/$defs/row"}), "$defs": {"row": thing(b=TEXT)}},
        nested(10),
    ],
)
def test_strict_schema_is_accepted(schema):
    assert strict_schema_problems(schema) == ()


@pytest.mark.parametrize(
    ("schema", "problems"),
    [
        (
            thing(old={"oneOf": [{"type": "integer"}, {"const": ""}]}),
            ("$.old: oneOf is not accepted", "$.old: says no type"),
        ),
        ({**thing(a=TEXT, b=TEXT), "required": ["a"]}, ("$.b: not in required",)),
        (
            {**thing(a=TEXT), "required": ["a", "z"]},
            ("$.z: required but not among the properties",),
        ),
        (
            thing(rows={"type": "array", "items": {"type": "object", "properties": {"a": TEXT}}}),
            ("$.rows[]: additionalProperties is not false", "$.rows[].a: not in required"),
        ),
        (thing(a={}), ("$.a: says no type",)),
        (thing(a={"type": "array"}), ("$.a[]: None; expected a schema object",)),
        (thing(a={"type": "object"}), ("$.a: an object without properties",)),
        ({"type": "array", "items": TEXT}, ("$: the root is not an object",)),
        (
            thing(a={"anyOf": [thing(b={"not": TEXT, "type": "string"})]}),
            ("$.a|0.b: not is not accepted",),
        ),
        (nested(11), ("$" + ".inner" * 10 + ": nested deeper than 10",)),
        (
            thing(a={"enum": list(range(1001))}),
            ("$: 1001 enum values; at most 1000 are accepted",),
        ),
    ],
)
def test_loose_schema_is_refused_with_place_and_rule(schema, problems):
    with pytest.raises(NotStrictError) as caught:
        check_strict_schema(schema)

    assert caught.value.problems == problems
