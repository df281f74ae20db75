"""The rows behind a call: written before a request goes out, and when it has ended.

The rows are the gate of all processes together: an endpoint's concurrency and rate are counted in
the transaction that admits a request, and so is the budget of a run.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from django.conf import settings
from django.db import connection, transaction
from django.utils import timezone

from annotation.selectors.saving import writing_turn
from generation.backends.text.exceptions import BudgetSpentError, UnusableAnswerError
from generation.backends.text.model import TextAnswer, TextRequest
from generation.models import RunTake, TextAttempt, TextCall, TextCallStatus, TextEndpoint
from generation.selectors.text_calls import (
    LOST,
    PAID,
    call_key,
    highest_price,
    open_attempts,
    price_of,
    question_of,
    spending_of,
)

RATE_WINDOW = timedelta(minutes=1)
# Beyond the time-out: an answer that is on its way is waited for before anybody else asks.
LEASE_MARGIN = timedelta(seconds=settings.JOB_LEASE_SECONDS)


@dataclass(frozen=True, slots=True)
class Admitted:
    """A request may go out, under this attempt."""

    call_id: int
    attempt_id: int


@dataclass(frozen=True, slots=True)
class Recorded:
    """The question was answered before."""

    call: TextCall


@dataclass(frozen=True, slots=True)
class Busy:
    """Not now: somebody asks the same, or the endpoint has enough to do."""


def recorded_call(endpoint: TextEndpoint, request: TextRequest) -> TextCall | None:
    """Return the call of a question that was answered before, None where it was not."""
    key = call_key(endpoint, question_of(request))
    found = TextCall.objects.filter(key=key, status__in=PAID)
    # Most questions are new, and a row of long texts is dear to look for in vain.
    return found.get() if found.exists() else None


def admit(
    *,
    endpoint: TextEndpoint,
    request: TextRequest,
    run_take: RunTake | None,
    budget: Decimal | None,
) -> Admitted | Recorded | Busy:
    """Write the claim of one request, where it may go out now.

    Raises BudgetSpentError where what the run has spent and may still have to pay leaves too
    little of its `budget` (US dollars) for the most that the request can cost.
    """
    question = question_of(request)
    key = call_key(endpoint, question)
    moment = timezone.now()
    with _locked(endpoint):
        call_id = TextCall.objects.filter(key=key).order_by().values_list("pk", flat=True).first()
        # In this order: an answer is recorded without the endpoint's lock, so it may arrive between
        # two looks. Once nobody asks any more, the status says whether the question was answered.
        is_asked = call_id is not None and _is_asked(call_id, moment)
        recorded = TextCall.objects.filter(key=key, status__in=PAID).first()
        if recorded is not None:
            return Recorded(recorded)
        if is_asked or _is_full(endpoint, moment):
            return Busy()
        reserved = highest_price(endpoint, request)
        if budget is not None:
            _check_budget(endpoint, run_take, budget, reserved)
        if call_id is None:
            call_id = _new_call(key, question, endpoint, run_take).pk
        else:
            TextCall.objects.filter(pk=call_id).update(status=TextCallStatus.ASKING)
        attempt = TextAttempt.objects.create(
            call_id=call_id,
            endpoint=endpoint,
            started_at=moment,
            lease_until=moment + timedelta(seconds=endpoint.timeout_s) + LEASE_MARGIN,
            reserved_price=reserved,
        )
    return Admitted(call_id, attempt.pk)


def record_answer(admitted: Admitted, endpoint: TextEndpoint, answer: TextAnswer) -> None:
    """Keep a usable answer."""
    _record_paid(admitted, endpoint, answer, TextCallStatus.ANSWERED, "", "")


def record_unusable(admitted: Admitted, endpoint: TextEndpoint, error: UnusableAnswerError) -> None:
    """Keep an answer that cannot be used, with the reason: it was paid for all the same."""
    kind = type(error).__name__
    _record_paid(admitted, endpoint, error.answer, TextCallStatus.UNUSABLE, kind, str(error))


def record_failure(admitted: Admitted, error: BaseException) -> None:
    """Keep why no answer came; the call may be asked again."""
    kind = type(error).__name__
    with _writing():
        _end_attempt(admitted, kind)
        TextCall.objects.filter(pk=admitted.call_id).exclude(status__in=PAID).update(
            status=TextCallStatus.FAILED,
            error_kind=kind,
            error=str(error),
            finished_at=timezone.now(),
        )


def _record_paid(
    admitted: Admitted,
    endpoint: TextEndpoint,
    answer: TextAnswer,
    status: TextCallStatus,
    kind: str,
    error: str,
) -> None:
    with _writing():
        _end_attempt(admitted, kind or str(status))
        TextCall.objects.filter(pk=admitted.call_id).update(
            status=status,
            text=answer.text,
            answered_by=answer.model,
            finish_reason=answer.finish_reason,
            tokens_in=answer.tokens_in,
            tokens_out=answer.tokens_out,
            seconds=answer.seconds,
            price=price_of(endpoint, answer.tokens_in, answer.tokens_out),
            error_kind=kind,
            error=error,
            finished_at=timezone.now(),
        )


def _new_call(
    key: str, question: dict[str, Any], endpoint: TextEndpoint, run_take: RunTake | None
) -> TextCall:
    parameters = {**question["parameters"], "api_style": endpoint.api_style}
    return TextCall.objects.create(
        key=key,
        **{**question, "parameters": parameters},
        status=TextCallStatus.ASKING,
        endpoint=endpoint,
        run_take=run_take,
        base_url=endpoint.base_url,
        model_name=endpoint.model_name,
    )


def _is_asked(call_id: int, moment: datetime) -> bool:
    """Return whether somebody asks right now, after closing the attempts of dead processes.

    Whether those were paid is not known.
    """
    still_open = TextAttempt.objects.filter(call=call_id, ended_at__isnull=True)
    still_open.filter(lease_until__lte=moment).update(ended_at=moment, outcome=LOST)
    return still_open.exists()


def _is_full(endpoint: TextEndpoint, moment: datetime) -> bool:
    if open_attempts(endpoint).count() >= endpoint.concurrency:
        return True
    if endpoint.requests_per_minute is None:
        return False
    recent = TextAttempt.objects.filter(endpoint=endpoint, started_at__gt=moment - RATE_WINDOW)
    return recent.count() >= endpoint.requests_per_minute


def _check_budget(
    endpoint: TextEndpoint,
    run_take: RunTake | None,
    budget: Decimal,
    reserved: Decimal | None,
) -> None:
    if reserved is None:
        raise BudgetSpentError(
            f"endpoint {endpoint.name} has no prices, so no budget can be kept with it"
        )
    spent = Decimal(0) if run_take is None else spending_of(run_take.run).highest_price
    if spent + reserved > budget:
        raise BudgetSpentError(
            f"the budget is ${budget:.2f}, ${spent:.4f} of it is spent or on its way, and the next "
            f"request can cost ${reserved:.4f}"
        )


def _end_attempt(admitted: Admitted, outcome: str) -> None:
    TextAttempt.objects.filter(pk=admitted.attempt_id).update(
        ended_at=timezone.now(), outcome=outcome
    )


@contextmanager
def _writing() -> Iterator[None]:
    with writing_turn(), transaction.atomic():
        yield


@contextmanager
def _locked(endpoint: TextEndpoint) -> Iterator[None]:
    """Admit one request at a time; SQLite's transactions are one at a time anyway."""
    with _writing():
        if connection.features.has_select_for_update:
            TextEndpoint.objects.select_for_update().only("pk").get(pk=endpoint.pk)
        yield
