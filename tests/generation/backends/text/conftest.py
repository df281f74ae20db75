"""A server that speaks the protocol, and requests to send to it."""

from dataclasses import replace

import pytest

from generation.backends.text.model import TextRequest
from tests.fakes.openai_server import OpenAiServer

SCHEMA = {
    "type": "object",
    "properties": {"steps": {"type": "array", "items": {"type": "string"}}},
    "required": ["steps"],
    "additionalProperties": False,
}
PLAIN = TextRequest(system="Be brief.", prompt="Name a step.", prompt_version="t1", max_tokens=50)
WITH_SCHEMA = replace(PLAIN, schema=SCHEMA)


@pytest.fixture
def server():
    with OpenAiServer() as running:
        yield running
