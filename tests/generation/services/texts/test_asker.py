from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from decimal import Decimal

import pytest
from django.db import connection

from annotation.services.records import stopping
from annotation.services.records.jobs import WorkerStopsError
from generation.backends.exceptions import BudgetSpentError, CancelledError, RejectedError
from generation.backends.retrying import RetryPolicy
from generation.backends.text.exceptions import NotJsonError
from generation.backends.text.model import Image
from generation.models import TextAttempt, TextCall, TextEndpoint
from generation.selectors.texts.calls import call_sums_of, calls_of_run_take
from generation.services.calls.payer import NOBODY, Payer
from generation.services.run_payer import payer_of
from generation.services.texts.asker import TextAsker
from tests.fakes.openai_server import TOKENS_IN, TOKENS_OUT, OpenAiServer
from tests.generation.text_endpoints import KEY, make_endpoint, question

pytestmark = pytest.mark.django_db(transaction=True)
GOOD = {"do": "answer", "text": '{"steps": ["Get a bowl"]}'}
QUICK = RetryPolicy(max_attempts=3, first_pause_s=0.01, max_pause_s=5.0)


@pytest.fixture
def server():
    with OpenAiServer([GOOD]) as running:
        yield running


def asker_of(server, **changes):
    endpoint = make_endpoint(server.url, **changes.pop("endpoint", {}))
    payer = changes.pop("payer", NOBODY)
    return TextAsker(endpoint, payer, QUICK)


def test_same_question_is_paid_for_once(server):
    asker = asker_of(server)

    first, second = (asker.ask(question()) for _ in range(2))

    assert first == second
    assert first.parsed == {"steps": ["Get a bowl"]}
    assert len(server.asked) == 1


def test_take_records_the_answers_it_read(server, tea_run):
    paying, reading, _ = tea_run.run_takes.all()
    asker = asker_of(server, payer=payer_of(paying), endpoint={"is_shared": True})
    asker.ask(question())

    for _ in range(2):
        replace(asker, payer=payer_of(reading)).ask(question())
    asker.ask(question())

    shown = {
        take: [(call.is_read, call.attempt_count) for call in calls_of_run_take(take)]
        for take in (paying, reading)
    }
    assert shown == {paying: [(False, 1)], reading: [(True, 1)]}
    price = Decimal("0.0021")
    paid, read = call_sums_of(paying), call_sums_of(reading)
    assert (paid.call_count, paid.read_count, paid.tokens_in, paid.tokens_out) == (
        1, 0, TOKENS_IN, TOKENS_OUT,
    )  # fmt: skip
    assert (paid.cost, paid.price) == (price, price)
    assert (read.call_count, read.read_count, read.tokens_in, read.tokens_out) == (0, 1, 0, 0)
    assert (read.cost, read.price) == (price, 0)
    assert len(server.asked) == 1


def test_call_is_recorded_word_for_word_without_the_key(server):
    asker_of(server).ask(question(temperature=0.2))

    call = TextCall.objects.values().get()
    shown = {name: call[name] for name in ("system", "prompt", "prompt_version", "text", "status")}
    assert shown == {
        "system": "Be brief.",
        "prompt": "Name a step.",
        "prompt_version": "test.v1",
        "text": GOOD["text"],
        "status": "answered",
    }
    assert call["parameters"] == {
        "temperature": 0.2,
        "max_tokens": 50,
        "sample": 0,
        "api_style": "chat",
    }
    assert (call["tokens_in"], call["tokens_out"]) == (TOKENS_IN, TOKENS_OUT)
    assert call["price"] == Decimal("0.0021")
    assert (call["model_name"], call["answered_by"]) == ("gpt-x", "gpt-x-2026")
    assert KEY not in str(call)


@pytest.mark.parametrize("takes_temperature", [True, False])
def test_temperature_goes_only_to_models_that_take_one(server, takes_temperature):
    asker = asker_of(server, endpoint={"takes_temperature": takes_temperature})

    asker.ask(question(temperature=0.2))

    (asked,) = server.asked
    assert ("temperature" in asked.body) is takes_temperature
    recorded = TextCall.objects.get().parameters["temperature"]
    assert recorded == (0.2 if takes_temperature else None)


@pytest.mark.parametrize(
    ("settings", "most_tokens", "effort"),
    [
        ({}, 50, None),
        ({"reasoning_effort": "none"}, 50, "none"),
        ({"reasoning_effort": "low"}, 4_050, "low"),
        ({"takes_temperature": False}, 8_050, None),
        ({"takes_temperature": False, "reasoning_effort": "max"}, 64_050, "max"),
    ],
)
def test_reasoning_model_gets_its_effort_and_room_for_it(server, settings, most_tokens, effort):
    asker_of(server, endpoint=settings).ask(question())

    (asked,) = server.asked
    assert asked.body["max_completion_tokens"] == most_tokens
    assert asked.body.get("reasoning_effort") == effort
    parameters = TextCall.objects.get().parameters
    assert (parameters["max_tokens"], parameters.get("reasoning_effort")) == (most_tokens, effort)


def test_another_effort_or_detail_is_another_question(server):
    asker = asker_of(server, endpoint={"supports_images": True})
    seen = question(images=(Image(b"jpeg", "Step 3"),))

    for settings in ({}, {"image_detail": "high"}, {"reasoning_effort": "none"}, {}):
        endpoint = TextEndpoint.objects.get()
        for name, value in ({"image_detail": "low", "reasoning_effort": ""} | settings).items():
            setattr(endpoint, name, value)
        replace(asker, endpoint=endpoint).ask(seen)

    assert [call.parameters.get("image_detail") for call in TextCall.objects.all()] == [
        None,
        "high",
        None,
    ]
    assert len(server.asked) == 3


def test_detail_of_pictures_does_not_matter_to_a_question_without_pictures(server):
    asker = asker_of(server, endpoint={"image_detail": "high"})
    asker.ask(question())
    asker.endpoint.image_detail = "low"

    asker.ask(question())

    assert len(server.asked) == 1


def test_unusable_answer_is_kept_and_not_paid_for_again(server):
    server.acts = [{"do": "not_json"}]
    asker = asker_of(server)

    for _ in range(2):
        with pytest.raises(NotJsonError, match="Sure!"):
            asker.ask(question())

    call = TextCall.objects.get()
    assert (call.status, call.error_kind, call.text) == (
        "unusable",
        "not_json",
        "Sure! Get a bowl.",
    )
    assert call.price == Decimal("0.0021")
    assert len(server.asked) == 1


def test_another_repeat_of_the_same_question_is_asked(server):
    asker = asker_of(server)

    for repeat in (0, 1, 1):
        asker.ask(question(repeat=repeat))

    assert len(server.asked) == 2


def test_temporary_failure_is_retried_and_every_attempt_kept(server):
    server.acts = [{"do": "rate_limit", "retry_after": 0}, {"do": "server_error"}, GOOD]

    answer = asker_of(server).ask(question())

    assert answer.text == GOOD["text"]
    outcomes = [attempt.outcome for attempt in TextAttempt.objects.all()]
    assert outcomes == ["rate_limited", "server_failed", "answered"]
    assert TextCall.objects.get().error == ""


def test_pause_of_the_server_is_kept(server):
    server.acts = [{"do": "rate_limit", "retry_after": 1}, GOOD]

    asker_of(server).ask(question())

    first, second = server.asked
    assert second.at_s - first.at_s >= 1.0


def test_failure_is_recorded_with_its_reason_and_can_be_asked_again(server):
    server.acts = [{"do": "reject"}, GOOD]
    asker = asker_of(server)

    with pytest.raises(RejectedError):
        asker.ask(question())
    failed = TextCall.objects.get()
    asker.ask(question())

    assert (failed.status, failed.error_kind, failed.price) == ("failed", "rejected", None)
    assert failed.error == "HTTP 400: Invalid schema for response_format"
    assert TextCall.objects.get().status == "answered"


def test_spent_budget_stops_before_anything_is_sent(server):
    with pytest.raises(BudgetSpentError):
        asker_of(server, payer=Payer(key="command:1", budget=Decimal("0.0001"))).ask(question())

    assert server.asked == []
    assert TextCall.objects.count() == 0


def test_cancelled_run_stops_while_it_waits(server):
    server.acts = [{"do": "rate_limit", "retry_after": 4}]

    def check():
        if server.asked:
            raise CancelledError("the run was cancelled")

    with pytest.raises(CancelledError):
        asker_of(server, payer=Payer(check=check)).ask(question())

    assert len(server.asked) == 1
    assert TextAttempt.objects.get().outcome == "rate_limited"


def test_same_question_asked_at_once_is_paid_once(server):
    server.latency_s = 0.1
    asker = asker_of(server)

    answers = in_threads(8, lambda _: asker.ask(question()).text)

    assert set(answers) == {GOOD["text"]}
    assert len(server.asked) == 1


def test_no_more_than_the_concurrency_are_at_the_server(server):
    server.least_inside = 3
    asker = asker_of(server, endpoint={"concurrency": 3, "timeout_s": 120})

    in_threads(12, lambda n: asker.ask(question(prompt=f"Step {n}")))

    assert (len(server.asked), server.most_inside) == (12, 3)


def test_fault_of_the_program_does_not_hold_the_claim(server):
    asker = asker_of(server)
    loose = replace(question(), schema={"type": "array"})

    for _ in range(2):
        with pytest.raises(ValueError, match="root is not an object"):
            asker.ask(loose)

    assert TextCall.objects.get().error_kind == "fault"


def in_threads(count, work):
    def run(number):
        try:
            return work(number)
        finally:
            connection.close()

    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(run, range(count)))


def test_worker_that_stops_sends_no_request_and_records_the_one_under_way(server, monkeypatch):
    monkeypatch.setattr(stopping, "_is_asked", bytearray(1))
    asker = asker_of(server)

    # It is asked when the request may go out.
    admitted = replace(asker, report_call=lambda call_id: stopping.ask_to_stop())
    under_way = admitted.ask(question("a"))
    with pytest.raises(WorkerStopsError):
        asker.ask(question("b"))

    assert under_way.text == TextCall.objects.get().text
    # What is recorded can still be read.
    assert asker.ask(question("a")).text == under_way.text
    assert len(server.asked) == 1
