import logging
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from generation.backends.exceptions import RateLimitedError, RejectedError, ServerFailedError
from generation.backends.text.adapters.openai import build
from generation.backends.text.exceptions import (
    ConnectionFailedError,
    EmptyAnswerError,
    ModelRefusedError,
    NoAnswerInTimeError,
    NotJsonError,
    TruncatedError,
    WrongSchemaError,
)
from generation.backends.text.model import (
    ApiStyle,
    FinishReason,
    Image,
    ImageDetail,
    ModelSettings,
    ReasoningEffort,
)
from generation.backends.text.strict_schema import NotStrictError
from tests.fakes.openai_server import CHAT, RESPONSES, TOKENS_IN, TOKENS_OUT
from tests.generation.backends.text.conftest import PLAIN, SCHEMA, WITH_SCHEMA

KEY = "sk-very-secret-key"
STYLES = list(ApiStyle)
GOOD = {"do": "answer", "text": '{"steps": ["Get a bowl"]}'}


def model_of(server, **changes):
    fields = {"base_url": server.url, "model": "gpt-x", "api_key": KEY, "timeout_s": 60.0}
    return build(ModelSettings(**{**fields, **changes}))


@pytest.mark.parametrize("style", STYLES)
def test_answer_has_text_json_tokens_and_the_servers_model(server, style):
    server.acts = [GOOD]

    answer = model_of(server, api_style=style).complete(WITH_SCHEMA)

    assert replace(answer, seconds=0.0) == replace(
        answer,
        text=GOOD["text"],
        parsed={"steps": ["Get a bowl"]},
        model="gpt-x-2026",
        tokens_in=TOKENS_IN,
        tokens_out=TOKENS_OUT,
        seconds=0.0,
        finish_reason=FinishReason.STOP,
    )
    assert answer.seconds > 0


def test_chat_request_is_what_the_protocol_asks_for(server):
    server.acts = [GOOD]

    model_of(server).complete(replace(WITH_SCHEMA, temperature=0.2))

    (asked,) = server.asked
    assert asked.path == CHAT
    assert asked.headers["authorization"] == f"Bearer {KEY}"
    assert asked.body == {
        "model": "gpt-x",
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "Name a step."},
        ],
        "max_completion_tokens": 50,
        "temperature": 0.2,
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "answer", "schema": SCHEMA, "strict": True},
        },
    }


def test_responses_request_is_what_the_protocol_asks_for(server):
    server.acts = [GOOD]

    model_of(server, api_style=ApiStyle.RESPONSES).complete(WITH_SCHEMA)

    (asked,) = server.asked
    assert asked.path == RESPONSES
    assert asked.body == {
        "model": "gpt-x",
        "instructions": "Be brief.",
        "input": [{"role": "user", "content": [{"type": "input_text", "text": "Name a step."}]}],
        "max_output_tokens": 50,
        "store": False,
        "text": {
            "format": {"type": "json_schema", "name": "answer", "schema": SCHEMA, "strict": True}
        },
    }


@pytest.mark.parametrize(
    ("style", "parts"),
    [
        (ApiStyle.CHAT, ["text", "text", "image_url"]),
        (ApiStyle.RESPONSES, ["input_text", "input_text", "input_image"]),
    ],
)
def test_images_follow_their_captions(server, style, parts):
    request = replace(PLAIN, images=(Image(b"\xff\xd8jpeg", "Step 3 at 12.5 s"),))

    model_of(server, api_style=style, supports_images=True).complete(request)

    (asked,) = server.asked
    messages = asked.body["messages" if style is ApiStyle.CHAT else "input"]
    content = messages[-1]["content"]
    assert [part["type"] for part in content] == parts
    assert content[1]["text"] == "Step 3 at 12.5 s"
    assert "data:image/jpeg;base64,/9hqcGVn" in str(content[2])


def test_images_are_not_sent_to_a_model_that_takes_none(server):
    request = replace(PLAIN, images=(Image(b"jpeg", "Step 3"),))

    with pytest.raises(RejectedError, match="accepts no images"):
        model_of(server).complete(request)

    assert server.asked == []


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize(
    ("act", "error", "words"),
    [
        ({"do": "rate_limit", "retry_after": 7}, RateLimitedError, "429"),
        ({"do": "server_error"}, ServerFailedError, "500"),
        ({"do": "overloaded"}, ServerFailedError, "503"),
        ({"do": "page"}, RejectedError, "is the base URL right"),
        ({"do": "hang_up"}, ConnectionFailedError, "no connection"),
        ({"do": "answer", "latency_s": 30}, NoAnswerInTimeError, "no answer within 1 s"),
        ({"do": "quota"}, RejectedError, "quota"),
        ({"do": "reject"}, RejectedError, "400"),
        ({"do": "blind"}, RejectedError, "image input is not supported"),
        ({"do": "not_found"}, RejectedError, "404"),
        ({"do": "redirect", "to": "http://127.0.0.1:9/v1"}, RejectedError, "307"),
        ({"do": "refuse"}, ModelRefusedError, "cannot help"),
        ({"do": "empty"}, EmptyAnswerError, "no text"),
        ({"do": "truncate"}, TruncatedError, "30 output tokens"),
        ({"do": "not_json"}, NotJsonError, "Sure!"),
        ({"do": "wrong_schema"}, WrongSchemaError, "steps"),
    ],
)
def test_each_misbehaviour_has_its_own_error(server, style, act, error, words):
    server.acts = [act]
    # Answers that come have time to come.
    timeout_s = 1 if "latency_s" in act else 60

    with pytest.raises(error, match=words):
        model_of(server, api_style=style, timeout_s=timeout_s).complete(WITH_SCHEMA)

    assert server.count_of(server.asked, 1) == 1


def test_rate_limit_carries_the_servers_pause(server):
    server.acts = [{"do": "rate_limit", "retry_after": 7}]

    with pytest.raises(RateLimitedError) as caught:
        model_of(server).complete(PLAIN)

    assert caught.value.retry_after_s == 7.0


def test_unusable_answer_is_kept_with_its_error(server):
    server.acts = [{"do": "not_json"}]

    with pytest.raises(NotJsonError) as caught:
        model_of(server).complete(WITH_SCHEMA)

    assert (caught.value.answer.text, caught.value.answer.tokens_out) == (
        "Sure! Get a bowl.",
        TOKENS_OUT,
    )


def test_closed_port_is_a_failed_connection():
    settings = ModelSettings(base_url="http://127.0.0.1:9/v1", model="m")

    with pytest.raises(ConnectionFailedError, match="refused"):
        build(settings).complete(PLAIN)


def test_key_is_in_no_message_and_no_log_even_when_the_server_repeats_it(server, caplog):
    server.acts = [{"do": "echo_key"}]

    with caplog.at_level(logging.DEBUG), pytest.raises(RejectedError) as caught:
        model_of(server).complete(PLAIN)

    assert str(caught.value) == "HTTP 401: Incorrect API key: Bearer [key]"
    assert KEY not in caplog.text
    assert KEY not in repr(model_of(server).settings)


def test_key_is_not_in_the_words_of_a_server_that_gave_up(server):
    error = {"code": "server_error", "message": f"{KEY} ran dry"}
    failed = {"status": "failed", "error": error, "output": []}
    server.acts = [{"do": "say", "document": failed}]

    with pytest.raises(ServerFailedError) as caught:
        model_of(server, api_style=ApiStyle.RESPONSES).complete(PLAIN)

    assert str(caught.value) == "the server gave up: [key] ran dry (server_error)"


def test_connections_are_as_many_as_requests_at_once_and_kept(server):
    server.least_inside = 3
    model = model_of(server, timeout_s=120)

    for _ in range(2):
        with ThreadPoolExecutor(3) as pool:
            list(pool.map(model.complete, [PLAIN] * 3))
    model.complete(PLAIN)

    assert len(server.asked) == 7
    assert len({asked.client_port for asked in server.asked}) == 3


def test_connection_that_the_server_closed_is_replaced(server):
    server.acts = [{"do": "answer", "text": "Yes."}, {"do": "hang_up"}, server.acts[0]]
    model = model_of(server)

    model.complete(PLAIN)
    with pytest.raises(ConnectionFailedError):
        model.complete(PLAIN)

    assert model.complete(PLAIN).text == "Get a bowl."


def test_schema_that_strict_mode_refuses_is_never_sent(server):
    loose = {"type": "object", "properties": {"a": {"oneOf": []}}, "required": []}

    with pytest.raises(NotStrictError, match="oneOf"):
        model_of(server).complete(replace(PLAIN, schema=loose))

    assert server.asked == []


@pytest.mark.parametrize("style", STYLES)
def test_answer_that_used_all_its_tokens_counts_as_cut_off(server, style):
    server.acts = [GOOD]

    with pytest.raises(TruncatedError, match="30 output tokens"):
        model_of(server, api_style=style).complete(replace(WITH_SCHEMA, max_tokens=TOKENS_OUT))


@pytest.mark.parametrize(
    ("style", "sent"),
    [
        (ApiStyle.CHAT, {"reasoning_effort": "high"}),
        (ApiStyle.RESPONSES, {"reasoning": {"effort": "high"}}),
    ],
)
def test_effort_of_thinking_is_sent_where_one_is_set(server, style, sent):
    model_of(server, api_style=style, reasoning_effort=ReasoningEffort.HIGH).complete(PLAIN)
    model_of(server, api_style=style).complete(PLAIN)

    first, second = server.asked
    assert {name: first.body.get(name) for name in sent} == sent
    assert not second.body.keys() & {"reasoning", "reasoning_effort"}


@pytest.mark.parametrize("style", STYLES)
def test_pictures_are_sent_with_the_detail_that_is_set(server, style):
    request = replace(PLAIN, images=(Image(b"jpeg", "Step 3"),))

    model_of(
        server, api_style=style, supports_images=True, image_detail=ImageDetail.ORIGINAL
    ).complete(request)

    (asked,) = server.asked
    assert "'detail': 'original'" in str(asked.body)


def test_policy_of_the_server_is_a_refusal_in_its_words_without_the_key(server):
    error = {"code": "bio_policy", "message": f"Not with {KEY}"}
    server.acts = [{"do": "say", "document": {"error": error}}]

    with pytest.raises(ModelRefusedError) as caught:
        model_of(server).complete(PLAIN)

    assert caught.value.answer.text == "the server gave up: Not with [key] (bio_policy)"
