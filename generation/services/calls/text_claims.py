"""The rows behind a call: written before a request goes out, and when it has ended.

The rows are the gate of all processes together: an endpoint's concurrency and rate are counted in
the transaction that admits a request, and so is the budget of a run.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal

from django.conf import settings
from django.utils import timezone

from generation.backends.exceptions import StoppedError
from generation.backends.text.exceptions import UnusableAnswerError
from generation.backends.text.model import TextAnswer, TextRequest
from generation.models import (
    RunTake,
    TextAttempt,
    TextCall,
    TextCallStatus,
    TextEndpoint,
    TextUse,
)
from generation.selectors.calls.admission import Question, call_by_key, standing_of
from generation.selectors.calls.text_calls import LOST, PAID, highest_price, price_of
from generation.services.calls.access import check_access
from generation.services.calls.budget import check_budget
from generation.services.calls.locks import lock_endpoint
from generation.services.calls.plain_rows import insert_row, update_row
from generation.services.calls.shared_transactions import write_together

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


def recorded_call(question: Question) -> TextCall | None:
    """Return the call of a question that was answered before, None where it was not."""
    # Most questions are new, and a row of long texts is dear to look for in vain.
    found = call_by_key(question.key)
    if found is None or found.status not in PAID:
        return None
    return TextCall.objects.get(pk=found.call_id)


def admit(
    *,
    endpoint: TextEndpoint,
    request: TextRequest,
    question: Question,
    run_take: RunTake | None,
    budget: Decimal | None,
    asked_by: str = "",
) -> Admitted | Recorded | Busy:
    """Write the claim of one request, where it may go out now; `asked_by` is who waits for it.

    Raises NotAllowedError where the run's owner may not use the endpoint any more, and
    BudgetSpentError where what the run has spent and may still have to pay leaves too little of its
    `budget` (US dollars) for the most that the request can cost.
    """
    reserved = highest_price(endpoint, request)
    moment = timezone.now()

    def claim() -> Admitted | Recorded | Busy:
        lock_endpoint(endpoint)
        standing = standing_of(question.key, endpoint, moment)
        is_asked = standing.is_claimed and _is_asked(standing.call_id, moment)
        if standing.is_claimed and not is_asked:
            # Its process died. Who was only slow may have recorded an answer since we looked.
            standing = standing_of(question.key, endpoint, moment)
        call_id = standing.call_id
        if call_id is not None and standing.status in PAID:
            return Recorded(TextCall.objects.get(pk=call_id))
        if is_asked or standing.is_full:
            return Busy()
        check_access(endpoint, run_take)
        if budget is not None:
            check_budget(endpoint, run_take, budget, reserved)
        if call_id is None:
            call_id = _new_call(question, endpoint, run_take)
        else:
            update_row(TextCall, call_id, {"status": TextCallStatus.ASKING})
        attempt = TextAttempt(
            call_id=call_id,
            endpoint=endpoint,
            started_at=moment,
            lease_until=moment + timedelta(seconds=endpoint.timeout_s) + LEASE_MARGIN,
            reserved_price=reserved,
            asked_by=asked_by,
        )
        return Admitted(call_id, insert_row(attempt))

    return write_together(claim)


def record_answer(admitted: Admitted, endpoint: TextEndpoint, answer: TextAnswer) -> None:
    """Keep a usable answer."""
    _record_paid(admitted, endpoint, answer, TextCallStatus.ANSWERED, "", "")


def record_unusable(admitted: Admitted, endpoint: TextEndpoint, error: UnusableAnswerError) -> None:
    """Keep an answer that cannot be used, with the reason: it was paid for all the same."""
    kind = type(error).__name__
    _record_paid(admitted, endpoint, error.answer, TextCallStatus.UNUSABLE, kind, str(error))


def record_use(call: TextCall, run_take: RunTake) -> None:
    """Keep that a take read an answer that it did not pay for; twice is as good as once."""
    if call.run_take_id != run_take.pk:
        use = TextUse(call=call, run_take=run_take)
        write_together(lambda: TextUse.objects.bulk_create([use], ignore_conflicts=True))


def record_failure(admitted: Admitted, error: BaseException) -> None:
    """Keep why no answer came; the call may be asked again."""
    kind = type(error).__name__
    # Who hung up on purpose does not know whether the answer was made, and paid.
    is_known = isinstance(error, Exception) and not isinstance(error, StoppedError)

    def write() -> None:
        _end_attempt(admitted, kind if is_known else LOST)
        TextCall.objects.filter(pk=admitted.call_id).exclude(status__in=PAID).update(
            status=TextCallStatus.FAILED,
            error_kind=kind,
            error=str(error),
            finished_at=timezone.now(),
        )

    write_together(write)


def _record_paid(
    admitted: Admitted,
    endpoint: TextEndpoint,
    answer: TextAnswer,
    status: TextCallStatus,
    kind: str,
    error: str,
) -> None:
    told = {
        "status": status,
        "text": answer.text,
        "answered_by": answer.model,
        "finish_reason": answer.finish_reason,
        "tokens_in": answer.tokens_in,
        "tokens_out": answer.tokens_out,
        "seconds": answer.seconds,
        "price": price_of(endpoint, answer.tokens_in, answer.tokens_out),
        "error_kind": kind,
        "error": error,
        "finished_at": timezone.now(),
    }

    def write() -> None:
        _end_attempt(admitted, kind or str(status))
        update_row(TextCall, admitted.call_id, told)

    write_together(write)


def _new_call(question: Question, endpoint: TextEndpoint, run_take: RunTake | None) -> int:
    parameters = {**question.parts["parameters"], "api_style": endpoint.api_style}
    call = TextCall(
        key=question.key,
        **{**question.parts, "parameters": parameters},
        status=TextCallStatus.ASKING,
        endpoint=endpoint,
        run_take=run_take,
        base_url=endpoint.base_url,
        model_name=endpoint.model_name,
    )
    return insert_row(call)


def _is_asked(call_id: int | None, moment: datetime) -> bool:
    """Return whether somebody asks right now, after closing the attempts of dead processes.

    Whether those were paid is not known.
    """
    still_open = TextAttempt.objects.filter(call=call_id, ended_at__isnull=True)
    still_open.filter(lease_until__lte=moment).update(ended_at=moment, outcome=LOST)
    return still_open.exists()


def _end_attempt(admitted: Admitted, outcome: str) -> None:
    update_row(TextAttempt, admitted.attempt_id, {"ended_at": timezone.now(), "outcome": outcome})
