"""What happens to the rows of a clip: when its job is known, and when it ended.

A clip takes minutes and costs dollars, so two things differ from other calls. A job that is known
by its id is never ordered again: the next process asks for it. And an order whose fate is
unknown, because a process died or the connection broke while it went out, is told once as such
before anybody may order again.
"""

from dataclasses import dataclass
from decimal import Decimal

from django.utils import timezone

from generation.backends.exceptions import (
    CancelledError,
    MayPassError,
    Outcome,
    RejectedError,
    outcome_of,
)
from generation.backends.video.providers.exceptions import (
    DownloadError,
    JobFailedError,
    ModerationError,
    SettingsError,
    UnclearSubmissionError,
    UnfitRequestError,
)
from generation.models import ClipAttempt, ClipCall, ClipCallStatus
from generation.services.calls.claims import (
    LEASE,
    Admitted,
    End,
    Known,
    Recorded,
    Resumed,
    Untold,
    record,
)
from generation.services.calls.locks import writing
from generation.services.clips.videos import media_path

DIED_WHILE_ORDERING = (
    "a worker died while it was ordering this clip: the job may be running and paid for"
    " at the provider, and its id is not known; look there before you retry, because"
    " that orders it again"
)
# Where the providers' own files lie below the media folder: one per clip, kept for good.
FOLDER = "clips"
# What the provider surely did not take: it costs nothing. Nobody cancels while an order is sent.
_NOT_TAKEN = (
    CancelledError,
    ModerationError,
    RejectedError,
    MayPassError,
    SettingsError,
    UnfitRequestError,
)


@dataclass(frozen=True, slots=True)
class Bill:
    """What a job costs as its provider reports it, and in US dollars where these are known."""

    amount: Decimal
    unit: str
    dollars: Decimal | None


def known_clip(call: ClipCall) -> Known:
    """What a clip comes to that nobody works on now; None where it is to be ordered (again)."""
    status = ClipCallStatus(call.status)
    has_file = bool(call.path) and media_path(call.path).is_file()
    if status is ClipCallStatus.REFUSED or (status is ClipCallStatus.MADE and has_file):
        return Recorded(call)
    if status is ClipCallStatus.ORDERING:
        ClipCall.objects.filter(pk=call.pk).update(
            status=ClipCallStatus.UNCLEAR,
            error_kind=Outcome.LOST,
            error=DIED_WHILE_ORDERING,
            finished_at=timezone.now(),
        )
        return Untold(UnclearSubmissionError(DIED_WHILE_ORDERING))
    if not call.job_id or status in {ClipCallStatus.FAILED, ClipCallStatus.UNCLEAR}:
        return None
    return Resumed({"job_id": call.job_id}, call={"status": ClipCallStatus.RUNNING})


def note_job(admitted: Admitted, job_id: str, estimate: Decimal | None = None) -> None:
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


def record_made(
    admitted: Admitted, job_id: str, *, path: str, byte_count: int, notes: str, bill: Bill | None
) -> None:
    """Keep a clip."""
    made = {"path": path, "byte_count": byte_count, "notes": notes}
    record(
        admitted,
        End(Outcome.ANSWERED, ClipCallStatus.MADE, call=made),
        also=lambda: _note_price(admitted, job_id, bill),
    )


def record_failure(
    admitted: Admitted,
    job_id: str,
    error: BaseException,
    *,
    was_ended: bool = False,
    bill: Bill | None = None,
    bills_refusals: bool = False,
) -> None:
    """Keep why there is no clip, and what may be done about it next.

    `was_ended` says that the provider ended the job because we asked for that, `bills_refusals`
    that the provider takes the price of a clip that its moderation keeps back.
    """
    is_free = not job_id and isinstance(error, _NOT_TAKEN)
    is_refused_job = isinstance(error, ModerationError) and bool(job_id)
    # A clip was made, whatever became of its file; or the provider says what it costs.
    is_billed = bill or isinstance(error, DownloadError) or (is_refused_job and bills_refusals)
    status = ClipCallStatus.FAILED if was_ended else _status_after(admitted, job_id, error)
    record(
        admitted,
        End(outcome_of(error), status, str(error), attempt={"is_free": is_free}),
        also=lambda: _note_price(admitted, job_id, bill) if is_billed else None,
    )


def _status_after(admitted: Admitted, job_id: str, error: BaseException) -> ClipCallStatus:
    if isinstance(error, ModerationError):
        return ClipCallStatus.REFUSED
    if not job_id:
        return ClipCallStatus.FAILED if isinstance(error, _NOT_TAKEN) else ClipCallStatus.UNCLEAR
    if isinstance(error, DownloadError):
        # Two failed downloads are enough: then it may be ordered anew.
        return ClipCallStatus.FAILED if admitted.resumes else ClipCallStatus.UNUSABLE
    if isinstance(error, JobFailedError | RejectedError):
        return ClipCallStatus.FAILED
    # Time-outs, broken connections, strange answers, cancelled runs: the job can be asked again.
    return ClipCallStatus.RUNNING


def _note_price(admitted: Admitted, job_id: str, bill: Bill | None) -> None:
    """Turn what was reserved for the order of a job into what it cost, as reported if it is."""
    orders = ClipAttempt.objects.filter(call=admitted.call_id, job_id=job_id, resumes=False)
    order = orders.order_by("-pk").first()
    if order is None:
        return
    price = order.reserved_price if bill is None or bill.dollars is None else bill.dollars
    order.price = price
    if bill is not None:
        order.reported_cost, order.reported_unit = bill.amount, bill.unit
    order.save(update_fields=["price", "reported_cost", "reported_unit"])
    ClipCall.objects.filter(pk=admitted.call_id).update(price=price)
