import json
from dataclasses import replace

import pytest

from generation.backends.text.exceptions import RejectedError
from generation.backends.text.model import ModelSettings
from generation.backends.text.registry import text_model
from generation.engine.planner.plan_json import plan_to_dict
from generation.engine.rewriting.rewrite import rewrite_from_dict
from tests.engine.rewriting.plans import plan_of, wrong
from tests.generation.backends.text.conftest import PLAIN

STEPS = [
    ("Get a bowl from the shelf", "GET(Agent: you, Object: bowl, Origin: from(shelf))"),
    ("Stir the soup with a spoon", "STIR(Agent: you, Object: soup, Instrument: with(spoon))"),
    ("Pour the soup into the bowl", "POUR(Agent: you, Object: soup, Destination: into(bowl))"),
]


def request_to_write(seed):
    plan = plan_of(STEPS, [wrong("E01", 1, Instrument="entity")])
    material = {"task": "write", "plan": plan_to_dict(plan), "take_uid": "u-1", "seed": seed}
    return replace(PLAIN, material=material)


def test_rules_write_the_plan_in_the_published_form():
    answer = text_model("rules", ModelSettings()).complete(request_to_write(7))

    answer_again = text_model("rules", ModelSettings()).complete(request_to_write(7))
    assert answer.text == answer_again.text


def test_rules_keep_what_the_plan_leaves_alone():
    answer = text_model("rules", ModelSettings()).complete(request_to_write(7))

    rows = rewrite_from_dict(json.loads(answer.text)).rows
    assert [(str(row.mod), row.event_id) for row in rows] == [
        ("u", None),
        ("e", "E01"),
        ("u", None),
    ]


def test_rules_represent_each_text():
    items = [{"id": "7", "text": "Get a bowl from the shelf"}]
    request = replace(PLAIN, material={"task": "semrep", "items": items})

    answer = text_model("rules", ModelSettings()).complete(request)

    assert json.loads(answer.text) == {
        "items": [
            {
                "id": "7",
                "text": "Get a bowl from the shelf",
                "representation": "GET(Agent: you, Object: bowl, Origin: from(shelf))",
            }
        ]
    }


def test_rules_reject_what_they_cannot_do():
    with pytest.raises(RejectedError, match="rules cannot do None"):
        text_model("rules", ModelSettings()).complete(PLAIN)
