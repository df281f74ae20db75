import copy
import json

import pytest
from jsonschema import Draft202012Validator

from generation.backends.text.schema_fit import certainly_fits
from generation.engine.prompting.schemas import (
    CLIP_SCHEMA,
    FREEFORM_SCHEMA,
    SEMREP_SCHEMA,
    rewrite_schema,
)

ROW = {"old": 0, "new": 0, "mod": "u", "etype": None, "eid": None, "cid": None}
GOOD = {
    "rewrite": (rewrite_schema(), {"final_steps": ["Get a bowl"], "meta": [ROW]}),
    "freeform": (
        FREEFORM_SCHEMA,
        {
            "final_steps": ["Get a bowl"],
            "meta": [{"source": 0, "mod": "s", "error_id": "E01", "correction_id": None}],
            "del": [{"source": 1, "error_id": "E02"}],
        },
    ),
    "semrep": (SEMREP_SCHEMA, {"items": [{"id": "1", "text": "Go", "representation": "GO()"}]}),
    "clip": (CLIP_SCHEMA, {"action": "pour", "objects": ["milk"]}),
}
WRONG_VALUES = (None, True, 1, 1.5, "x", [], {}, ["x"], {"more": 1})


def places(value, path=()):
    """Yield the path of every part of a JSON value."""
    yield path
    inner = value.items() if isinstance(value, dict) else ()
    for name, part in enumerate(value) if isinstance(value, list) else inner:
        yield from places(part, (*path, name))


def changed(document, path, value):
    if not path:
        return value
    whole = copy.deepcopy(document)
    part = whole
    for name in path[:-1]:
        part = part[name]
    part[path[-1]] = value
    return whole


def without(document, path):
    whole = copy.deepcopy(document)
    part = whole
    for name in path[:-1]:
        part = part[name]
    del part[path[-1]]
    return whole


@pytest.mark.parametrize("name", GOOD)
def test_good_answer_needs_no_other_look(name):
    schema, document = GOOD[name]

    assert certainly_fits(schema, document)


@pytest.mark.parametrize("name", GOOD)
def test_value_refused_by_the_validator_does_not_fit(name):
    schema, document = GOOD[name]
    validator = Draft202012Validator(schema)
    paths = list(places(document))
    variants = [changed(document, path, value) for path in paths for value in WRONG_VALUES]
    variants += [without(document, path) for path in paths if path]

    verdicts = [(validator.is_valid(item), certainly_fits(schema, item)) for item in variants]

    # What fits at once is valid; what is valid fits at once: these schemas hold nothing unknown.
    assert verdicts == [(is_valid, is_valid) for is_valid, _ in verdicts]
    assert {is_valid for is_valid, _ in verdicts} == {True, False}, json.dumps(document)


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"type": "integer", "minimum": 1}, 0),
        ({"enum": [1]}, 1),
        ({"type": "object", "properties": {}, "additionalProperties": True}, {"a": 1}),
        ({"anyOf": [{"type": "string"}]}, "x"),
        ({"type": "integer", "enum": [1]}, True),
    ],
)
def test_unknown_rule_is_left_to_the_validator(schema, value):
    assert not certainly_fits(schema, value)
