"""The settings of an endpoint of a text model, and the test of one."""

import secrets
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import ClassVar

from annotation.models import User
from generation.backends.exceptions import ModelError
from generation.backends.retrying import RetryPolicy
from generation.backends.text.model import ImageDetail, TextRequest
from generation.backends.text.registry import DEFAULT_PROTOCOL
from generation.models import TextEndpoint
from generation.services.calls.endpoints import EndpointSettings, EndpointTest, note_test
from generation.services.calls.keys import UnreadableKeyError
from generation.services.texts.asker import TextAsker

# The user's page waits for the test, so it is shorter than the time-out of a run.
TEST_TIMEOUT_S = 20
TEST_WORD = "ready"
TEST_SAMPLES = 2**31
TEST_REQUEST = TextRequest(
    system="You answer in JSON.",
    prompt=f'This is a test of the connection. Put the word "{TEST_WORD}" into the field "word".',
    prompt_version="endpoint_test.v1",
    schema={
        "type": "object",
        "properties": {"word": {"type": "string"}},
        "required": ["word"],
        "additionalProperties": False,
    },
    max_tokens=1000,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class TextEndpointSettings(EndpointSettings):
    """The settings of a text model, without its key; see `TextEndpoint`."""

    HOSTS: ClassVar[str] = "TEXT_ENDPOINT_HOSTS"

    protocol: str = DEFAULT_PROTOCOL
    api_style: str
    supports_images: bool
    takes_temperature: bool
    reasoning_effort: str = ""
    image_detail: str = ImageDetail.LOW.value
    price_in: Decimal | None
    price_out: Decimal | None


@dataclass(frozen=True, slots=True, kw_only=True)
class TextEndpointTest(EndpointTest):
    """The result of testing an endpoint; `error` is empty if all went well."""

    model: str = ""
    text: str = ""
    tokens_in: int = 0
    tokens_out: int = 0


def try_text_endpoint(*, endpoint: TextEndpoint, actor: User) -> TextEndpointTest:
    """Ask an endpoint one small question, once, and return what happened."""
    # Another repeat number each time, or the answer would come from the record.
    request = replace(TEST_REQUEST, repeat=secrets.randbelow(TEST_SAMPLES))
    endpoint.timeout_s = min(endpoint.timeout_s, TEST_TIMEOUT_S)
    try:
        answer = TextAsker(endpoint, policy=RetryPolicy(max_attempts=1)).ask(request)
        result = TextEndpointTest(
            model=answer.model,
            text=answer.text,
            tokens_in=answer.tokens_in,
            tokens_out=answer.tokens_out,
            seconds=answer.seconds,
        )
        if answer.parsed["word"].strip().lower().strip(".") != TEST_WORD:
            wrong = f'the model should have said "{TEST_WORD}"'
            result = replace(result, error_kind="WrongContent", error=wrong)
    except (ModelError, UnreadableKeyError) as error:
        result = TextEndpointTest(error_kind=type(error).__name__, error=str(error))
    note_test(endpoint, result, actor)
    return result
