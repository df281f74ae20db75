"""Ask a text model: the kind of paid calls whose answer comes with the request."""

from abc import abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from decimal import Decimal
from functools import lru_cache
from typing import Any

from generation.backends.exceptions import Outcome, StoppedError, outcome_of
from generation.backends.text.answers import checked_answer
from generation.backends.text.exceptions import UnusableAnswerError
from generation.backends.text.gate import Gate
from generation.backends.text.model import (
    ApiStyle,
    FinishReason,
    ImageDetail,
    ModelSettings,
    ReasoningEffort,
    TextAnswer,
    TextModel,
    TextRequest,
)
from generation.backends.text.registry import text_model
from generation.models import Endpoint, PromptCall, TextCallStatus, TextEndpoint
from generation.selectors.calls.admission import Question
from generation.selectors.texts.calls import highest_price, price_of, question_for
from generation.services.calls.asker import Asker, EndpointRow
from generation.services.calls.claims import LEASE, Admitted, End, record
from generation.services.calls.keys import decrypted

KEPT_GATES = 256
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
class PromptAsker(Asker[EndpointRow, TextRequest, TextAnswer]):
    """Asks in words, perhaps with pictures, and gets a text: of models, and whoever answers so.

    `report_answer` gets every answer, its price, and whether it is new.
    """

    report_answer: Callable[[TextAnswer, Decimal | None, bool], None] | None = None

    @abstractmethod
    def price(self, answer: TextAnswer) -> Decimal | None:
        """What an answer cost, in US dollars; None where not known."""

    @property
    def lease(self) -> timedelta:
        """Longer than the time-out: nobody else asks while an answer is on its way."""
        return timedelta(seconds=self.endpoint.timeout_s) + LEASE

    def send(self, request: TextRequest, admitted: Admitted, opened: TextModel) -> TextAnswer:
        try:
            answer = opened.complete(request, hang_up=self.payer.hang_up)
        except UnusableAnswerError as error:
            # An unusable answer was paid for, too.
            self._record_paid(admitted, error.answer, error)
            raise
        # Whatever it was, an open claim would block the next who asks.
        except BaseException as error:
            # If we hung up on purpose, nobody knows whether the answer was written, and paid.
            is_known = isinstance(error, Exception) and not isinstance(error, StoppedError)
            kind = outcome_of(error)
            is_free = is_known and kind is not Outcome.TIMED_OUT
            outcome = kind if is_known else Outcome.LOST
            free = {"is_free": is_free}
            record(admitted, End(outcome, TextCallStatus.FAILED, str(error), kind, attempt=free))
            raise
        self._record_paid(admitted, answer)
        return answer

    def read(self, call: Any, request: TextRequest) -> TextAnswer:
        answer = answer_of(call)
        self._tell(answer, call.price, is_new=False)
        return checked_answer(request, answer)

    def _record_paid(
        self, admitted: Admitted, answer: TextAnswer, error: UnusableAnswerError | None = None
    ) -> None:
        price = self.price(answer)
        columns = {
            "text": answer.text,
            "answered_by": answer.model,
            "finish_reason": answer.finish_reason,
            "tokens_in": answer.tokens_in,
            "tokens_out": answer.tokens_out,
            "seconds": answer.seconds,
            "price": price,
        }
        status, outcome = TextCallStatus.ANSWERED, Outcome.ANSWERED
        if error is not None:
            status, outcome = TextCallStatus.UNUSABLE, error.outcome
        words = "" if error is None else str(error)
        record(admitted, End(outcome, status, words, call=columns, attempt={"price": price}))
        self._tell(answer, price, is_new=True)

    def _tell(self, answer: TextAnswer, price: Decimal | None, *, is_new: bool) -> None:
        if self.report_answer is not None:
            self.report_answer(answer, price, is_new)


def answer_of(call: PromptCall) -> TextAnswer:
    """The answer that was recorded, not checked."""
    return TextAnswer(
        text=call.text,
        parsed=None,
        model=call.answered_by,
        tokens_in=call.tokens_in,
        tokens_out=call.tokens_out,
        seconds=call.seconds,
        finish_reason=FinishReason(call.finish_reason),
    )


@dataclass(frozen=True, slots=True)
class TextAsker(PromptAsker[TextEndpoint]):
    """Asks one text model."""

    def as_sent(self, request: TextRequest) -> TextRequest:
        """The request with room for reasoning, without a temperature if the endpoint refuses it."""
        room = reasoning_room(self.endpoint)
        request = replace(request, max_tokens=request.max_tokens + room) if room else request
        return request if self.endpoint.takes_temperature else replace(request, temperature=None)

    def question(self, request: TextRequest) -> Question:
        return question_for(self.endpoint, request)

    def highest_price(self, request: TextRequest) -> Decimal | None:
        return highest_price(self.endpoint, request)

    def price(self, answer: TextAnswer) -> Decimal | None:
        return price_of(self.endpoint, answer.tokens_in, answer.tokens_out)

    @contextmanager
    def ready(
        self, request: TextRequest, question: Question, wait: Callable[[], None]
    ) -> Iterator[TextModel]:
        """The model, after waiting for a place among the requests of this process."""
        endpoint = self.endpoint
        model = text_model(endpoint.protocol, model_settings(endpoint))
        with gate_of(endpoint).entered(wait):
            yield model


def reasoning_room(endpoint: TextEndpoint) -> int:
    """How many output tokens a model may spend on reasoning, in addition to the text.

    A model that refuses a temperature is a reasoning model, even if no effort is set.
    """
    effort = _effort_of(endpoint)
    if effort is None and not endpoint.takes_temperature:
        effort = ReasoningEffort.MEDIUM
    return 0 if effort is None else REASONING_ROOM[effort]


def _effort_of(endpoint: TextEndpoint) -> ReasoningEffort | None:
    return ReasoningEffort(endpoint.reasoning_effort) if endpoint.reasoning_effort else None


def model_settings(endpoint: TextEndpoint) -> ModelSettings:
    """How to reach an endpoint's model; raises UnreadableKeyError."""
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


def gate_of(endpoint: Endpoint) -> Gate:
    """The gate before the requests of this process to an endpoint."""
    return _gate(endpoint.WORD, endpoint.pk, endpoint.concurrency, endpoint.requests_per_minute)


@lru_cache(KEPT_GATES)
def _gate(word: str, endpoint_id: int, concurrency: int, per_minute: int | None) -> Gate:
    return Gate(concurrency, per_minute)
