"""Servers that answer what no database takes: what was paid for is recorded all the same."""

import pytest

from generation.backends.retrying import RetryPolicy
from generation.backends.text.exceptions import EmptyAnswerError, NotJsonError
from generation.backends.video.providers.exceptions import JobFailedError, MalformedAnswerError
from generation.models import ClipAttempt, ClipCall, TextAttempt, TextCall
from generation.services.texts.asker import TextAsker
from tests.fakes.openai_server import OpenAiServer
from tests.fakes.video_provider_forms import openai_error
from tests.generation.text_endpoints import make_endpoint, question

pytestmark = pytest.mark.django_db(transaction=True)
ONCE = RetryPolicy(max_attempts=1)
GOOD = '{"steps": ["Get a bowl"]}'


def answer(content=GOOD, model="m", tokens=(1, 1)):
    message = {"role": "assistant", "content": content}
    return {
        "id": "1",
        "object": "chat.completion",
        "created": 1,
        "model": model,
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": dict(
            zip(("prompt_tokens", "completion_tokens", "total_tokens"), (*tokens, 1), strict=True)
        ),
    }


def asked(document):
    """Ask a server that sends the document; return what is recorded, and what was raised."""
    with OpenAiServer([{"do": "say", "document": document}]) as server:
        asker = TextAsker(make_endpoint(server.url), policy=ONCE)
        errors = []
        try:
            asker.ask(question())
        except (NotJsonError, EmptyAnswerError) as error:
            errors.append(type(error))
        assert not TextAttempt.objects.filter(ended_at__isnull=True).exists()
        return TextCall.objects.get(), errors


@pytest.mark.parametrize(
    ("changes", "kept"),
    [
        ({"content": GOOD.replace("bowl", "bo\x00wl")}, ("m", 1, 1)),
        ({"content": GOOD.replace("bowl", "bowl\ud83d")}, ("m", 1, 1)),
        ({"model": "x" * 5000}, ("x" * 200, 1, 1)),
        ({"model": "a\x00b\ud800"}, ("ab?", 1, 1)),
        ({"model": 7}, ("gpt-x", 1, 1)),
        ({"tokens": (10**12, 10**30)}, ("m", 2**31 - 1, 2**31 - 1)),
        ({"tokens": (-5, "many")}, ("m", 0, 0)),
    ],
    ids=lambda value: ascii(value)[:40],
)
def test_paid_answer_with_odd_characters_and_counts_is_recorded(changes, kept):
    call, errors = asked(answer(**changes))

    assert (call.status, errors) == ("answered", [])
    assert (call.answered_by, call.tokens_in, call.tokens_out) == kept


@pytest.mark.parametrize(
    ("content", "error"),
    [
        (GOOD.replace("bowl", r"bo\u0000wl"), NotJsonError),
        (GOOD.replace("bowl", r"bowl\ud83d"), NotJsonError),
        ("[" * 100_000, NotJsonError),
        ("\x00", EmptyAnswerError),
        ([1], EmptyAnswerError),
    ],
    ids=lambda value: ascii(value)[:40],
)
def test_unusable_answer_is_recorded_as_paid_and_unusable(content, error):
    call, errors = asked(answer(content))

    assert (call.status, call.error_kind, errors) == ("unusable", error.outcome, [error])
    assert (call.tokens_in, call.tokens_out) == (1, 1)


def test_reason_of_a_failed_clip_is_stored_without_nul_and_surrogates(shop):
    failed = {
        "id": "job-17",
        "status": "failed",
        **openai_error("a\x00b", "out\ud83d of\x00 paint"),
    }
    shop.server.polls = [{"do": "say", "document": failed}]

    with pytest.raises(JobFailedError, match=r"ab out\? of paint"):
        shop.make(shop.clips())

    assert ClipCall.objects.get().status == "failed"
    assert ClipAttempt.objects.get().reason.endswith("ab out? of paint")


def test_report_nested_too_deeply_is_no_document(shop):
    clips = shop.clips()
    shop.server.polls = [{"do": "page", "content": b'{"a":' + b"[" * 100_000}]

    with pytest.raises(MalformedAnswerError, match="not a JSON document"):
        shop.make(clips)

    assert not ClipAttempt.objects.filter(ended_at__isnull=True).exists()
