import pytest

from generation.backends.text.exceptions import RejectedError, ServerFailedError
from generation.backends.text.model import ApiStyle, FinishReason
from generation.backends.text.protocol_answers import Told, told_by

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
GOOD = Told("Get a bowl.", FinishReason.STOP, "m-1", 12, 3)
SILENT = Told("", FinishReason.STOP, "", 0, 0)


@pytest.mark.parametrize(
    ("style", "document"), [(ApiStyle.CHAT, CHAT), (ApiStyle.RESPONSES, RESPONSE)]
)
def test_both_protocols_say_the_same(style, document):
    assert told_by(document, style) == GOOD


@pytest.mark.parametrize(
    "choice",
    [
        {"message": {"content": "Get", "refusal": None}, "finish_reason": "length"},
        {"message": {"content": "Get", "refusal": ""}, "finish_reason": "length"},
    ],
)
def test_answer_without_tokens_left_is_cut_off(choice):
    assert told_by({"choices": [choice]}, ApiStyle.CHAT) == Told(
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
def test_refusal_is_told_whatever_else_is_said(style, document):
    assert told_by(document, style) == Told("No.", FinishReason.REFUSAL, "", 0, 0)


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
def test_what_is_of_another_type_counts_as_not_said(style, document):
    assert told_by(document, style) == SILENT


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
        told_by(document, style)


def test_server_that_gave_up_may_be_asked_again():
    failed = {"output": [], "status": "failed", "error": {"message": "out of memory"}}

    with pytest.raises(ServerFailedError, match="gave up: out of memory"):
        told_by(failed, ApiStyle.RESPONSES)
