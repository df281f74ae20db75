"""Endpoints and questions for the tests of text calls."""

from decimal import Decimal

from generation.backends.text.model import TextRequest
from generation.models import TextEndpoint
from generation.services.calls.keys import encrypted

KEY = "sk-very-secret-key"
SCHEMA = {
    "type": "object",
    "properties": {"steps": {"type": "array", "items": {"type": "string"}}},
    "required": ["steps"],
    "additionalProperties": False,
}


def make_endpoint(base_url="http://127.0.0.1:9/v1", **changes):
    """Store an endpoint: $10 and $30 per million tokens, four at once.

    The time-out, a minute, is none that a busy machine outlasts; who tests it sets a short one.
    """
    fields = {
        "name": "Local",
        "base_url": base_url,
        "model_name": "gpt-x",
        "encrypted_key": encrypted(KEY),
        "concurrency": 4,
        "timeout_s": 60,
        "price_in": Decimal(10),
        "price_out": Decimal(30),
    }
    return TextEndpoint.objects.create(**{**fields, **changes})


def question(prompt="Name a step.", **changes):
    fields = {
        "system": "Be brief.",
        "prompt": prompt,
        "prompt_version": "test.v1",
        "schema": SCHEMA,
        "max_tokens": 50,
    }
    return TextRequest(**{**fields, **changes})
