"""The rows behind a clip: written before an order goes out, when its job is known, when it ended.

They are the gate of all processes together, as those of text calls are. A clip takes minutes and
costs dollars, so two things differ. A job that is known by its id is never ordered again: whoever
comes next asks for it. And an order whose fate is unknown, because a process died or the connection
broke while it went out, is told once as such before anybody may order again.
"""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from django.conf import settings
from django.db.models import F
from django.utils import timezone

from generation.backends.exceptions import CancelledError
from generation.backends.video.providers.exceptions import (
    DownloadError,
    JobFailedError,
    ModerationError,
    RejectedError,
    RetryableError,
    SettingsError,
    UnfitRequestError,
)
from generation.backends.video.providers.provider import Order
from generation.models import ClipAttempt, ClipCall, ClipCallStatus, RunTake, VideoEndpoint
from generation.selectors.calls.clip_calls import (
    LOST,
    MADE,
    clip_key,
    open_clip_attempts,
    question_of,
)
from generation.services.calls.access import check_access
from generation.services.calls.budget import check_budget
from generation.services.calls.clip_files import has_file
from generation.services.calls.locks import locked, writing

RATE_WINDOW = timedelta(minutes=1)
# Whoever works on a clip renews its lease (`keep`) much more often.
LEASE = timedelta(seconds=settings.JOB_LEASE_SECONDS)
# An order with its frames is on its way for as long as this, and the server thinks it over.
SUBMISSION_LEASE = timedelta(seconds=90) + LEASE
DIED_WHILE_ORDERING = (
    "a worker died while it was ordering this clip: the job may be running and paid for"
    " at the provider, and its id is not known; look there before you retry, because"
    " that orders it again"
)
# What the provider surely did not take: it costs nothing. Nobody cancels while an order is sent.
_NOT_TAKEN = (
    CancelledError,
    ModerationError,
    RejectedError,
    RetryableError,
    SettingsError,
    UnfitRequestError,
)


@dataclass(frozen=True, slots=True)
class Admitted:
    """A clip may be ordered under this attempt or, with a job's id, asked for."""

    key: str
    call_id: int
    attempt_id: int
    job_id: str = ""


@dataclass(frozen=True, slots=True)
class Bill:
    """What a job costs as its provider reports it, and in US dollars where these are known."""

    amount: Decimal
    unit: str
    dollars: Decimal | None


@dataclass(frozen=True, slots=True)
class Recorded:
    """The clip was made, or refused, before."""

    call: ClipCall


@dataclass(frozen=True, slots=True)
class Busy:
    """Not now: somebody works on the same clip, or the endpoint has enough to do."""


@dataclass(frozen=True, slots=True)
class Lost:
    """Whoever ordered this clip died over it; whether it was ordered is not known."""


Outcome = Admitted | Recorded | Busy | Lost


def admit(
    *,
    endpoint: VideoEndpoint,
    order: Order,
    sample: int,
    run_take: RunTake | None,
    budget: Decimal | None,
) -> Outcome:
    """Write the claim of one clip, where it may be worked on now.

    Limits and price are those that the endpoint has now. Raises SettingsError where it was deleted,
    NotAllowedError where the run's owner may not use it any more, and BudgetSpentError where what
    the run has spent and may still have to pay leaves too little of its `budget` (US dollars).
    """
    question = question_of(order, sample)
    key = clip_key(endpoint, question)
    moment = timezone.now()
    with locked(endpoint):
        endpoint = _current(endpoint)
        check_access(endpoint, run_take)
        call = ClipCall.objects.filter(key=key).first()
        if call is not None:
            if _is_worked_on(call, moment):
                return Busy()
            known = _known_outcome(call, endpoint, run_take, moment)
            if known is not None:
                return known
        if _is_full(endpoint, moment):
            return Busy()
        prices = endpoint.prices
        reserved = None if prices is None else prices.of(order.duration_s)
        if budget is not None:
            check_budget(endpoint, run_take, budget, reserved)
        call = _begun(key, question, endpoint, run_take)
        attempt = ClipAttempt.objects.create(
            call=call,
            endpoint=endpoint,
            run_take=run_take,
            started_at=moment,
            lease_until=moment + SUBMISSION_LEASE,
            reserved_price=reserved,
        )
    return Admitted(key, call.pk, attempt.pk)


def _begun(
    key: str, question: dict[str, Any], endpoint: VideoEndpoint, run_take: RunTake | None
) -> ClipCall:
    """Return the row of a clip that is about to be ordered, be it for the first time or again."""
    values = {
        "endpoint": endpoint,
        "run_take": run_take,
        "status": ClipCallStatus.ORDERING,
        "job_id": "",
        "error_kind": "",
        "error": "",
        "finished_at": None,
    }
    asked = {
        **question,
        "provider": endpoint.provider,
        "base_url": endpoint.base_url,
        "model_name": endpoint.model_name,
    }
    call, _ = ClipCall.objects.update_or_create(
        key=key, defaults=values, create_defaults={**values, **asked}
    )
    return call


def _current(endpoint: VideoEndpoint) -> VideoEndpoint:
    found = VideoEndpoint.objects.filter(pk=endpoint.pk).first()
    if found is None:
        raise SettingsError(f"the video model {endpoint.name} was deleted")
    return found


def _is_worked_on(call: ClipCall, moment: datetime) -> bool:
    """Return whether somebody works on the clip now, after closing the attempts of the dead."""
    still_open = call.attempts.filter(ended_at__isnull=True)
    still_open.filter(lease_until__lte=moment).update(
        ended_at=moment, outcome=LOST, reason="The worker did not report for too long."
    )
    return still_open.exists()


def _known_outcome(
    call: ClipCall, endpoint: VideoEndpoint, run_take: RunTake | None, moment: datetime
) -> Outcome | None:
    """Return what a recorded clip comes to, None where it is to be ordered (again)."""
    status = ClipCallStatus(call.status)
    if status is ClipCallStatus.REFUSED or (status is ClipCallStatus.MADE and has_file(call)):
        return Recorded(call)
    if status is ClipCallStatus.ORDERING:
        ClipCall.objects.filter(pk=call.pk).update(
            status=ClipCallStatus.UNCLEAR,
            error_kind=LOST,
            error=DIED_WHILE_ORDERING,
            finished_at=moment,
        )
        return Lost()
    if not call.job_id or status in {ClipCallStatus.FAILED, ClipCallStatus.UNCLEAR}:
        return None
    ClipCall.objects.filter(pk=call.pk).update(status=ClipCallStatus.RUNNING)
    attempt = ClipAttempt.objects.create(
        call=call,
        endpoint=endpoint,
        run_take=run_take,
        resumes=True,
        job_id=call.job_id,
        started_at=moment,
        lease_until=moment + LEASE,
    )
    return Admitted(call.key, call.pk, attempt.pk, call.job_id)


def _is_full(endpoint: VideoEndpoint, moment: datetime) -> bool:
    if open_clip_attempts(endpoint).count() >= endpoint.concurrency:
        return True
    if endpoint.requests_per_minute is None:
        return False
    orders = ClipAttempt.objects.filter(endpoint=endpoint, resumes=False)
    recent = orders.filter(started_at__gt=moment - RATE_WINDOW)
    return recent.count() >= endpoint.requests_per_minute


def keep(admitted: Admitted) -> bool:
    """Renew the lease of an attempt; False where it ran out and somebody else closed it."""
    held = ClipAttempt.objects.filter(pk=admitted.attempt_id, ended_at__isnull=True)
    return bool(held.update(lease_until=timezone.now() + LEASE))


def note_job(admitted: Admitted, job_id: str, estimate: Decimal | None = None) -> Admitted:
    """Keep the id of a job as soon as there is one: from here on the clip is not ordered again.

    `estimate` is the most that it costs in US dollars, where the provider says that.
    """
    reserved = {} if estimate is None else {"reserved_price": estimate}
    with writing():
        # Even of an attempt that was given up for lost, or the id of a paid job would be.
        ClipAttempt.objects.filter(pk=admitted.attempt_id).update(
            job_id=job_id, lease_until=timezone.now() + LEASE, **reserved
        )
        ClipCall.objects.filter(pk=admitted.call_id, job_id="").update(
            job_id=job_id, status=ClipCallStatus.RUNNING, error_kind="", error=""
        )
    return replace(admitted, job_id=job_id)


def record_made(
    admitted: Admitted, path: str, byte_count: int, notes: str, bill: Bill | None = None
) -> None:
    """Keep a clip."""
    with writing():
        _end(admitted, MADE, "")
        _note_price(admitted, bill)
        ClipCall.objects.filter(pk=admitted.call_id).update(
            status=ClipCallStatus.MADE,
            path=path,
            byte_count=byte_count,
            notes=notes,
            error_kind="",
            error="",
            finished_at=timezone.now(),
        )


def record_failure(
    admitted: Admitted,
    error: BaseException,
    *,
    resumed: bool,
    was_ended: bool = False,
    bill: Bill | None = None,
    bills_refusals: bool = False,
) -> None:
    """Keep why there is no clip, and what may be done about it next.

    `resumed` says that the job was ordered by an earlier attempt, `was_ended` that the provider
    ended it because we asked for that, `bills_refusals` that the provider takes the price of a clip
    that its moderation keeps back.
    """
    kind, reason = type(error).__name__, str(error)
    status = ClipCallStatus.FAILED if was_ended else _status_after(admitted, error, resumed=resumed)
    with writing():
        is_free = not admitted.job_id and isinstance(error, _NOT_TAKEN)
        _end(admitted, kind, reason, is_free=is_free)
        is_refused_job = isinstance(error, ModerationError) and bool(admitted.job_id)
        # A clip was made, whatever became of its file; or the provider says what it costs.
        if bill or isinstance(error, DownloadError) or (is_refused_job and bills_refusals):
            _note_price(admitted, bill)
        ClipCall.objects.filter(pk=admitted.call_id).exclude(status=ClipCallStatus.MADE).update(
            status=status, error_kind=kind, error=reason, finished_at=timezone.now()
        )


def _status_after(admitted: Admitted, error: BaseException, *, resumed: bool) -> ClipCallStatus:
    if isinstance(error, ModerationError):
        return ClipCallStatus.REFUSED
    if not admitted.job_id:
        return ClipCallStatus.FAILED if isinstance(error, _NOT_TAKEN) else ClipCallStatus.UNCLEAR
    if isinstance(error, DownloadError):
        # Fetched twice in vain is enough: then it may be ordered anew.
        return ClipCallStatus.FAILED if resumed else ClipCallStatus.UNUSABLE
    if isinstance(error, JobFailedError | RejectedError):
        return ClipCallStatus.FAILED
    # Time-outs, broken connections, strange answers, cancelled runs: the job can be asked again.
    return ClipCallStatus.RUNNING


def _end(admitted: Admitted, outcome: str, reason: str, *, is_free: bool = False) -> None:
    ClipAttempt.objects.filter(pk=admitted.attempt_id).update(
        ended_at=timezone.now(), outcome=outcome, reason=reason, is_free=is_free
    )


def _note_price(admitted: Admitted, bill: Bill | None) -> None:
    """Turn what was reserved for the order of a job into what it cost, as reported if it is."""
    orders = ClipAttempt.objects.filter(
        call=admitted.call_id, job_id=admitted.job_id, resumes=False
    )
    last = orders.order_by("-pk").values_list("pk", flat=True)[:1]
    order = ClipAttempt.objects.filter(pk__in=list(last))
    if bill is None:
        order.update(price=F("reserved_price"))
        return
    price = F("reserved_price") if bill.dollars is None else bill.dollars
    order.update(price=price, reported_cost=bill.amount, reported_unit=bill.unit)
