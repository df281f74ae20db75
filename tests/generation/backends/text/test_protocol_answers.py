import pytest

from generation.backends.exceptions import RateLimitedError, RejectedError, ServerFailedError
from generation.backends.text.model import ApiStyle, FinishReason
from generation.backends.text.protocol_answers import ServerAnswer, read_server_answer

CHAT = {
    "model": "m-1",
    "choices": [{"message": {"content": "Get a bowl."}, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 12, "completion_tokens": 3},
}
RESPONSE = {
    "model": "m-1",
    "status": "completed",
    "output": [
        {"type": "reasoning", "summary": []},
        {
            "type": "message",
            "content": [
                {"type": "output_text", "text": "Get a "},
                {"type": "output_text", "text": "bowl."},
            ],
        },
    ],
    "usage": {"input_tokens": 12, "output_tokens": 3},
}
GOOD = ServerAnswer("Get a bowl.", FinishReason.STOP, "m-1", 12, 3)
SILENT = ServerAnswer("", FinishReason.STOP, "", 0, 0)


@pytest.mark.parametrize(
    ("style", "document"), [(ApiStyle.CHAT, CHAT), (ApiStyle.RESPONSES, RESPONSE)]
)
def test_both_protocols_are_read_alike(style, document):
    assert read_server_answer(document, style) == GOOD


@pytest.mark.parametrize(
    "choice",
    [
        {"message": {"content": "Get", "refusal": None}, "finish_reason": "length"},
        {"message": {"content": "Get", "refusal": ""}, "finish_reason": "length"},
    ],
)
def test_answer_without_tokens_left_is_cut_off(choice):
    assert read_server_answer({"choices": [choice]}, ApiStyle.CHAT) == ServerAnswer(
        "Get", FinishReason.LENGTH, "", 0, 0
    )


@pytest.mark.parametrize(
    ("style", "document"),
    [
        (ApiStyle.CHAT, {"choices": [{"message": {"content": "Sure", "refusal": "No."}}]}),
        (
            ApiStyle.CHAT,
            {"choices": [{"message": {"content": "No."}, "finish_reason": "content_filter"}]},
        ),
        (ApiStyle.RESPONSES, {"output": [{"content": [{"type": "refusal", "refusal": "No."}]}]}),
    ],
)
def test_refusal_is_recognised_beside_other_content(style, document):
    assert read_server_answer(document, style) == ServerAnswer(
        "No.", FinishReason.REFUSAL, "", 0, 0
    )


@pytest.mark.parametrize(
    ("style", "document"),
    [
        (ApiStyle.CHAT, {"choices": [{}]}),
        (ApiStyle.CHAT, {"choices": [{"message": "Get", "finish_reason": {}}], "usage": []}),
        (ApiStyle.CHAT, {"choices": [{"message": {"content": [1]}}], "model": 7}),
        (ApiStyle.RESPONSES, {"output": []}),
        (ApiStyle.RESPONSES, {"output": [None, {"content": "Get"}], "incomplete_details": 1}),
        (ApiStyle.RESPONSES, {"output": [{"content": [{"type": "output_text", "text": 1}]}]}),
    ],
)
def test_field_of_another_type_counts_as_missing(style, document):
    assert read_server_answer(document, style) == SILENT


@pytest.mark.parametrize(
    ("style", "document"),
    [
        (ApiStyle.CHAT, "<html>"),
        (ApiStyle.CHAT, []),
        (ApiStyle.CHAT, {"choices": []}),
        (ApiStyle.CHAT, {"choices": "Get"}),
        (ApiStyle.CHAT, RESPONSE),
        (ApiStyle.RESPONSES, CHAT),
        (ApiStyle.RESPONSES, {"output": None}),
    ],
)
def test_document_of_another_kind_is_refused(style, document):
    with pytest.raises(RejectedError, match="not an answer of the protocol"):
        read_server_answer(document, style)


def failed_response(code, message="out of memory"):
    return {"output": [], "status": "failed", "error": {"code": code, "message": message}}


@pytest.mark.parametrize(
    ("code", "error"),
    [
        ("server_error", ServerFailedError),
        ("vector_store_timeout", ServerFailedError),
        ("rate_limit_exceeded", RateLimitedError),
        ("invalid_prompt", RejectedError),
        ("data_residency_mismatch", RejectedError),
        ("image_too_large", RejectedError),
        (None, RejectedError),
    ],
)
def test_response_that_failed_is_asked_again_only_where_its_code_may_pass(code, error):
    with pytest.raises(error, match="gave up: out of memory") as caught:
        read_server_answer(failed_response(code), ApiStyle.RESPONSES)

    assert type(caught.value) is error


@pytest.mark.parametrize(
    "code",
    ["bio_policy", "misalignment_policy_violation", "image_content_policy_violation"],
)
def test_response_that_a_policy_stopped_is_a_refusal(code):
    told = read_server_answer(failed_response(code, "Not that."), ApiStyle.RESPONSES)

    words = f"the server gave up: Not that. ({code})"
    assert told == ServerAnswer(words, FinishReason.REFUSAL, "", 0, 0)


@pytest.mark.parametrize(
    ("error", "kind", "words"),
    [
        ({"code": 429, "message": "Slow down"}, RateLimitedError, "HTTP 429: Slow down"),
        ({"code": 502, "message": "Upstream died"}, ServerFailedError, "HTTP 502: Upstream died"),
        ({"code": 402, "message": "No credits"}, RejectedError, "HTTP 402: No credits"),
        ({"code": "server_error", "message": "Oh"}, ServerFailedError, "gave up: Oh"),
        ({"code": "insufficient_quota", "message": "Broke"}, RejectedError, "gave up: Broke"),
        ({"code": 500, "message": "image input is not supported"}, RejectedError, "HTTP 500"),
        ("model is loading", RejectedError, "gave up: model is loading"),
    ],
)
@pytest.mark.parametrize("style", list(ApiStyle))
def test_error_in_an_answer_with_status_200_is_read_by_its_code(style, error, kind, words):
    with pytest.raises(kind, match=words) as caught:
        read_server_answer({"error": error}, style)

    assert type(caught.value) is kind


@pytest.mark.parametrize(
    ("choice", "kind", "words"),
    [
        ({"error": {"code": 502, "message": "Provider died"}}, ServerFailedError, "Provider died"),
        ({"error": {"code": 400, "message": "Too long"}}, RejectedError, "HTTP 400: Too long"),
        ({"message": {"content": ""}}, ServerFailedError, "no reason given"),
    ],
)
def test_choice_that_ended_in_an_error_says_which(choice, kind, words):
    document = {"choices": [{"finish_reason": "error", **choice}]}

    with pytest.raises(kind, match=words) as caught:
        read_server_answer(document, ApiStyle.CHAT)

    assert type(caught.value) is kind


def test_moderation_behind_another_server_is_a_refusal():
    error = {"code": 403, "message": "Flagged", "metadata": {"reasons": ["violence"]}}

    told = read_server_answer({"error": error}, ApiStyle.CHAT)

    assert (told.finish_reason, told.text) == (FinishReason.REFUSAL, "HTTP 403: Flagged")


def test_error_beside_an_answer_does_not_hide_it():
    assert read_server_answer({**CHAT, "error": None}, ApiStyle.CHAT) == GOOD
    assert read_server_answer({**RESPONSE, "error": None}, ApiStyle.RESPONSES) == GOOD
