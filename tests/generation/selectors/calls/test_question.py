from dataclasses import replace

import pytest

from generation.backends.text.model import Image
from generation.models import TextEndpoint
from generation.selectors.texts.calls import question_for
from tests.generation.text_endpoints import question

ENDPOINT = {"base_url": "http://127.0.0.1:9/v1", "model_name": "gpt-x", "api_style": "chat"}


def key_of(request, **changes):
    return question_for(TextEndpoint(**{**ENDPOINT, **changes}), request).key


@pytest.mark.parametrize(
    "changes",
    [
        {"system": "Be long."},
        {"prompt": "Name two."},
        {"prompt_version": "test.v2"},
        {"schema": None},
        {"temperature": 0.2},
        {"max_tokens": 51},
        {"repeat": 1},
        {"images": (Image(b"jpeg", "Step 1"),)},
    ],
)
def test_each_part_of_a_request_makes_another_key(changes):
    assert key_of(replace(question(), **changes)) != key_of(question())


@pytest.mark.parametrize(
    "changes",
    [
        {"base_url": "http://b/v1"},
        {"model_name": "y"},
        {"api_style": "responses"},
        {"protocol": "other"},
    ],
)
def test_each_part_of_the_endpoint_that_decides_an_answer_makes_another_key(changes):
    assert key_of(question(), **changes) != key_of(question())


def test_name_and_speed_make_no_other_key():
    assert key_of(question(), name="Other", concurrency=9) == key_of(question())


@pytest.mark.parametrize(
    ("request_changes", "endpoint_changes", "key"),
    [
        ({}, {}, "445c41724c4f48325014c1fbccad8a0db15448b7b4c99fef35d4f21d0f558a16"),
        (
            {"repeat": 1, "temperature": None},
            {"reasoning_effort": "high"},
            "faac9b030b056c50cabd37b47c442f4de98038745a0a18ada20f637cea6f8bc2",
        ),
    ],
)
def test_questions_from_before_payers_are_not_paid_again(request_changes, endpoint_changes, key):
    assert key_of(question(**request_changes), **endpoint_changes) == key
