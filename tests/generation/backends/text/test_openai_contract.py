"""What the adapter sends and reads, held against the types of the `openai` package.

A field, an effort or a code that is gone there, or deprecated, fails here before it fails a run.
"""

import inspect
import re
import subprocess
from dataclasses import replace
from typing import get_args, get_type_hints

import pytest
from django.conf import settings
from openai.types import shared_params
from openai.types.chat import (
    ChatCompletion,
    ChatCompletionContentPartImageParam,
    ChatCompletionMessage,
    chat_completion,
    completion_create_params,
)
from openai.types.chat.chat_completion_content_part_image_param import ImageURL
from openai.types.completion_usage import CompletionUsage
from openai.types.responses import (
    Response,
    ResponseError,
    ResponseInputImageParam,
    ResponseOutputRefusal,
    ResponseOutputText,
    ResponseTextConfigParam,
    ResponseUsage,
    response_create_params,
)
from openai.types.responses.response import IncompleteDetails
from openai.types.shared import ReasoningEffort as TheirEffort

from generation.backends.exceptions import (
    ModelError,
    RateLimitedError,
    RejectedError,
    ServerFailedError,
)
from generation.backends.text.adapters.openai import build
from generation.backends.text.model import (
    ApiStyle,
    FinishReason,
    Image,
    ImageDetail,
    ModelSettings,
    ReasoningEffort,
)
from generation.backends.text.protocol_answers import read_server_answer, read_server_error
from tests.generation.backends.text.conftest import WITH_SCHEMA

# All that the adapter can send, so that each field is seen.
FULL = replace(WITH_SCHEMA, temperature=0.2, images=(Image(b"jpeg", "Step 3"),))
REFUSED, CUT_OFF, DONE = FinishReason.REFUSAL, FinishReason.LENGTH, FinishReason.STOP
DEPRECATED_VALUES = "Deprecated values:"


def type_of(model, field):
    """Return the type of a field of an answer, or of a form."""
    if hasattr(model, "model_fields"):
        return model.model_fields[field].annotation
    return get_type_hints(model)[field]


def values_of(hint):
    """Return the values of a Literal, wherever it stands in a type."""
    inner = get_args(hint)
    if not inner:
        return set()
    texts = {value for value in inner if isinstance(value, str)}
    return texts.union(*(values_of(part) for part in inner if not isinstance(part, str)))


def texts_of(params):
    """Return what the package says of each field of a form."""
    source = "".join(
        inspect.getsource(base)
        for base in (params, *getattr(params, "__orig_bases__", ()))
        if inspect.isclass(base) and base.__module__.startswith("openai")
    )
    _, *parts = re.split(r"^    (?=\w+: )", source, flags=re.M)
    return {part.partition(":")[0]: part.partition('"""')[2].partition('"""')[0] for part in parts}


def deprecated_fields(params):
    texts = {name: text.partition(DEPRECATED_VALUES)[0] for name, text in texts_of(params).items()}
    return {name for name, text in texts.items() if "deprecated" in text.lower()}


def models_that_leave():
    """Return the models that OpenAI has taken away, or says when it will."""
    text = texts_of(completion_create_params.CompletionCreateParamsBase)["model"]
    return set(re.findall(r'"([a-z][\w.-]+)"', text.partition(DEPRECATED_VALUES)[2]))


@pytest.fixture
def sent(server):
    """Return the body that the adapter sends in a style, with all that can be set."""

    def body(style):
        model = build(
            ModelSettings(
                base_url=server.url,
                model="m",
                api_style=style,
                supports_images=True,
                reasoning_effort=ReasoningEffort.LOW,
                image_detail=ImageDetail.HIGH,
            )
        )
        server.acts = [{"do": "answer", "text": '{"steps": []}'}]
        model.complete(FULL)
        return server.asked[-1].body

    return body


@pytest.mark.parametrize(
    ("style", "params"),
    [
        (ApiStyle.CHAT, completion_create_params.CompletionCreateParamsNonStreaming),
        (ApiStyle.RESPONSES, response_create_params.ResponseCreateParamsNonStreaming),
    ],
)
def test_every_field_that_is_sent_is_known_and_not_deprecated(sent, style, params):
    fields = set(sent(style))

    assert fields - get_type_hints(params).keys() == set()
    assert fields & deprecated_fields(params) == set()


def test_package_has_deprecated_fields_and_models():
    base = completion_create_params.CompletionCreateParamsBase

    assert "max_tokens" in deprecated_fields(base)
    assert {"gpt-5", "o3", "gpt-4o", "gpt-4.1"} <= models_that_leave()


def test_form_of_the_answer_is_where_the_package_has_it(sent):
    chat, responses = sent(ApiStyle.CHAT), sent(ApiStyle.RESPONSES)

    schema = chat["response_format"]
    assert schema.keys() == get_type_hints(shared_params.ResponseFormatJSONSchema).keys()
    known = get_type_hints(shared_params.response_format_json_schema.JSONSchema)
    assert schema["json_schema"].keys() <= known.keys()
    assert responses["text"].keys() <= get_type_hints(ResponseTextConfigParam).keys()
    assert responses["reasoning"].keys() <= get_type_hints(shared_params.Reasoning).keys()


def test_pictures_are_where_the_package_has_them(sent):
    chat = sent(ApiStyle.CHAT)["messages"][-1]["content"][-1]
    responses = sent(ApiStyle.RESPONSES)["input"][-1]["content"][-1]

    assert chat.keys() <= get_type_hints(ChatCompletionContentPartImageParam).keys()
    assert chat["image_url"].keys() == get_type_hints(ImageURL).keys()
    assert responses.keys() <= get_type_hints(ResponseInputImageParam).keys()


def test_efforts_and_details_are_those_of_the_package():
    assert values_of(TheirEffort) == {str(effort) for effort in ReasoningEffort}
    for hint in (ImageURL, ResponseInputImageParam):
        assert values_of(type_of(hint, "detail")) == {str(detail) for detail in ImageDetail}


def outcome_of(code):
    try:
        return read_server_error({"code": code, "message": "No."}).finish_reason
    except ModelError as error:
        return type(error)


def test_every_code_of_a_failed_response_is_placed():
    codes = values_of(type_of(ResponseError, "code"))

    placed = {code: outcome_of(code) for code in codes}

    assert {code for code, outcome in placed.items() if outcome is not RejectedError} == {
        "server_error",
        "rate_limit_exceeded",
        "vector_store_timeout",
        "bio_policy",
        "misalignment_policy_violation",
        "image_content_policy_violation",
    }
    assert placed["rate_limit_exceeded"] is RateLimitedError
    assert placed["server_error"] is placed["vector_store_timeout"] is ServerFailedError
    assert placed["bio_policy"] is REFUSED


def test_every_reason_to_end_is_placed():
    ends = {"stop": DONE, "length": CUT_OFF, "content_filter": REFUSED}
    # Nothing is offered to the model to call.
    ends |= {"tool_calls": DONE, "function_call": DONE}
    breaks = {"max_output_tokens": CUT_OFF, "content_filter": REFUSED}
    # Neither is there a limit of messages, nor somebody who steers.
    breaks |= {"max_messages": DONE, "steered": DONE}

    assert values_of(type_of(chat_completion.Choice, "finish_reason")) == ends.keys()
    assert values_of(type_of(IncompleteDetails, "reason")) == breaks.keys()
    for reason, end in ends.items():
        document = {"choices": [{"message": {"content": "A"}, "finish_reason": reason}]}
        assert read_server_answer(document, ApiStyle.CHAT).finish_reason is end
    for reason, end in breaks.items():
        document = {"output": [], "incomplete_details": {"reason": reason}}
        assert read_server_answer(document, ApiStyle.RESPONSES).finish_reason is end


@pytest.mark.parametrize(
    ("model", "fields"),
    [
        (ChatCompletion, {"choices", "model", "usage"}),
        (chat_completion.Choice, {"message", "finish_reason"}),
        (ChatCompletionMessage, {"content", "refusal"}),
        (CompletionUsage, {"prompt_tokens", "completion_tokens"}),
        (Response, {"output", "status", "error", "incomplete_details", "model", "usage"}),
        (ResponseOutputText, {"type", "text"}),
        (ResponseOutputRefusal, {"type", "refusal"}),
        (ResponseUsage, {"input_tokens", "output_tokens"}),
    ],
)
def test_fields_that_are_read_exist_in_the_package(model, fields):
    assert fields - model.model_fields.keys() == set()


def test_no_default_or_example_names_a_model_that_leaves():
    listed = subprocess.run(
        ["git", "ls-files", "*.py", "*.md", "*.html", "*.toml", "*.yml"],
        cwd=settings.BASE_DIR,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    names = "|".join(sorted(map(re.escape, models_that_leave()), reverse=True))
    leaving = re.compile(rf"(?<![\w.-])({names})(?![\w-]|\.\d)")
    named = {
        (name, match.group())
        for name in listed
        if not name.endswith("test_openai_contract.py")
        for match in leaving.finditer((settings.BASE_DIR / name).read_text())
    }

    assert len(listed) > 500
    assert named == set()
