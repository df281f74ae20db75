"""Ask a text model, once per question: what was answered before is read, not paid for again.

A claim is written before a request goes out and the answer when it has come, each in a short
transaction; the request itself is in none. What is lost with a process that dies between the two
is the one request under way, which is counted as possibly paid.
"""

import os
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import lru_cache

import numpy as np

from generation.backends.retrying import RetryPolicy, ask_with_retries
from generation.backends.text import exceptions
from generation.backends.text.answers import checked_answer
from generation.backends.text.gate import Gate
from generation.backends.text.model import (
    ApiStyle,
    Ask,
    FinishReason,
    ImageDetail,
    ModelSettings,
    ReasoningEffort,
    TextAnswer,
    TextRequest,
)
from generation.backends.text.registry import text_model
from generation.engine.progress import UNWATCHED
from generation.models import RunTake, TextCall, TextEndpoint
from generation.selectors.calls.admission import Holder, Question, holder_of, question_for
from generation.services.calls.keys import decrypted
from generation.services.calls.text_claims import (
    Admitted,
    Busy,
    Recorded,
    admit,
    record_answer,
    record_failure,
    record_unusable,
    record_use,
    recorded_call,
)

ADAPTER = "openai"
# How often somebody who waits for a place, or for another's answer, looks again: soon, then less
# and less often, since every look is a transaction.
LOOK_S = 0.1
LOOK_GROWTH = 1.5
LONGEST_LOOK_S = 1.0
TOLD_AFTER_S = 2.0
KEPT_GATES = 256
DEFAULT_POLICY = RetryPolicy()
# Output tokens. Providers count reasoning among them and do not say how much an effort takes.
REASONING_ROOM = {
    ReasoningEffort.NONE: 0,
    ReasoningEffort.MINIMAL: 1_000,
    ReasoningEffort.LOW: 4_000,
    ReasoningEffort.MEDIUM: 8_000,
    ReasoningEffort.HIGH: 16_000,
    ReasoningEffort.XHIGH: 32_000,
    ReasoningEffort.MAX: 64_000,
}


@dataclass(frozen=True, slots=True)
class Caller:
    """On whose behalf a question is asked.

    `budget` is in US dollars for the whole run of `run_take`, None for no limit. `check` is called
    while waiting and raises CancelledError when the answer is not wanted any more. `hang_up` is the
    same while an answer is on its way, which is then lost; None waits for it. `asked_by` is told to
    others who wait, `told_wait` is told on whom this one waits, and `told_paid` what was paid for.
    """

    endpoint: TextEndpoint
    run_take: RunTake | None = None
    budget: Decimal | None = None
    check: Callable[[], None] = UNWATCHED.check
    policy: RetryPolicy = DEFAULT_POLICY
    hang_up: Callable[[], None] | None = None
    asked_by: str = ""
    told_wait: Callable[[TextEndpoint, Holder], None] | None = None
    told_paid: Callable[[TextEndpoint, TextAnswer], None] | None = None


def ask(*, request: TextRequest, caller: Caller) -> TextAnswer:
    """Return the answer to a request, recorded or new.

    Raises the `TextModelError` that stands in the way. An answer that could not be used is raised
    again when the same is asked again: to pay for another, change `sample`.
    """
    request = as_sent(request, caller.endpoint)
    question = question_for(caller.endpoint, request)
    known = recorded_call(question)
    if known is not None:
        return _read(known, request, caller)
    return ask_with_retries(
        lambda: _ask_once(request, question, caller),
        policy=caller.policy,
        rng=_jitter(os.getpid()),
        pause=lambda seconds: _pause(seconds, caller.check),
    )


def as_sent(request: TextRequest, endpoint: TextEndpoint) -> TextRequest:
    """Return a request without what the endpoint does not take, and with room for reasoning."""
    room = reasoning_room(endpoint)
    request = replace(request, max_tokens=request.max_tokens + room) if room else request
    return request if endpoint.takes_temperature else replace(request, temperature=None)


def reasoning_room(endpoint: TextEndpoint) -> int:
    """Return how many output tokens a model may spend on reasoning, beside those of the text.

    A model that refuses a temperature reasons, whether or not an effort is set.
    """
    effort = _effort_of(endpoint)
    if effort is None and not endpoint.takes_temperature:
        effort = ReasoningEffort.MEDIUM
    return 0 if effort is None else REASONING_ROOM[effort]


def _effort_of(endpoint: TextEndpoint) -> ReasoningEffort | None:
    return ReasoningEffort(endpoint.reasoning_effort) if endpoint.reasoning_effort else None


def asking(caller: Caller) -> Ask:
    """Return a function that asks on behalf of a caller."""
    return lambda request: ask(request=request, caller=caller)


def model_settings(endpoint: TextEndpoint) -> ModelSettings:
    """Return how to reach an endpoint's model; raises UnreadableKeyError."""
    return ModelSettings(
        base_url=endpoint.base_url,
        model=endpoint.model_name,
        api_key=decrypted(endpoint.encrypted_key),
        api_style=ApiStyle(endpoint.api_style),
        supports_images=endpoint.supports_images,
        reasoning_effort=_effort_of(endpoint),
        image_detail=ImageDetail(endpoint.image_detail),
        timeout_s=float(endpoint.timeout_s),
    )


def answer_of(call: TextCall, request: TextRequest) -> TextAnswer:
    """Return the recorded answer to a request; raises what was wrong with it."""
    answer = TextAnswer(
        text=call.text,
        parsed=None,
        model=call.answered_by,
        tokens_in=call.tokens_in,
        tokens_out=call.tokens_out,
        seconds=call.seconds,
        finish_reason=FinishReason(call.finish_reason),
    )
    return checked_answer(request, answer)


def _read(call: TextCall, request: TextRequest, caller: Caller) -> TextAnswer:
    """Return a recorded answer, and keep which take read it where another paid."""
    if caller.run_take is not None:
        record_use(call, caller.run_take)
    return answer_of(call, request)


def _ask_once(request: TextRequest, question: Question, caller: Caller) -> TextAnswer:
    endpoint = caller.endpoint
    model = text_model(ADAPTER, model_settings(endpoint))
    gate = _gate(endpoint.pk, endpoint.concurrency, endpoint.requests_per_minute)
    with gate.entered(caller.check):
        admitted = _admitted(request, question, caller)
        if isinstance(admitted, Recorded):
            return _read(admitted.call, request, caller)
        try:
            answer = model.complete(request, hang_up=caller.hang_up)
        except exceptions.UnusableAnswerError as error:
            record_unusable(admitted, endpoint, error)
            _tell_paid(caller, error.answer)
            raise
        # Whatever it was, the claim must not stand in the way of the next who asks.
        except BaseException as error:
            record_failure(admitted, error)
            raise
        record_answer(admitted, endpoint, answer)
        _tell_paid(caller, answer)
        return answer


def _tell_paid(caller: Caller, answer: TextAnswer) -> None:
    if caller.told_paid is not None:
        caller.told_paid(caller.endpoint, answer)


def _admitted(request: TextRequest, question: Question, caller: Caller) -> Admitted | Recorded:
    wait_s, waited_s = LOOK_S, 0.0
    while True:
        caller.check()
        outcome = admit(
            endpoint=caller.endpoint,
            request=request,
            question=question,
            run_take=caller.run_take,
            budget=caller.budget,
            asked_by=caller.asked_by,
        )
        if not isinstance(outcome, Busy):
            return outcome
        # Most waits are short, and not worth a word.
        if caller.told_wait is not None and waited_s >= TOLD_AFTER_S:
            holder = holder_of(question.key, caller.endpoint)
            if holder is not None:
                caller.told_wait(caller.endpoint, holder)
        time.sleep(wait_s)
        waited_s += wait_s
        wait_s = min(wait_s * LOOK_GROWTH, LONGEST_LOOK_S)


@lru_cache(KEPT_GATES)
def _gate(endpoint_id: int, concurrency: int, per_minute: int | None) -> Gate:
    return Gate(concurrency, per_minute)


@lru_cache(1)
def _jitter(process_id: int) -> np.random.Generator:
    """Return the generator of pauses, one per process: workers that failed together part.

    NumPy's generators may be drawn from by several threads.
    """
    return np.random.default_rng()


def _pause(seconds: float, check: Callable[[], None]) -> None:
    deadline = time.monotonic() + seconds
    while (left_s := deadline - time.monotonic()) > 0:
        check()
        time.sleep(min(left_s, LOOK_S))
    check()
