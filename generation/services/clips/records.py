"""What is written about a clip: when its job is accepted, and when it ended.

A clip takes minutes and costs dollars, so two things differ from other calls. A job whose id is
stored is never ordered again: the next process fetches it. And an order whose fate is unknown,
because a process died or the connection broke while it was sent, is reported once as such before
anybody may order again.
"""

from dataclasses import dataclass
from decimal import Decimal

from django.utils import timezone

from annotation.backends import made_files
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
    EarlierOutcome,
    End,
    Recorded,
    Resumed,
    Unreported,
    record,
)
from generation.services.calls.locks import writing
from generation.services.calls.payer_sums import add_to_sum, as_stored

DIED_WHILE_ORDERING = (
    "a worker died while it was ordering this clip: the job may be running and paid for"
    " at the provider, and its id is not known; look there before you retry, because"
    " that orders it again"
)
# The providers' own files, below the media folder: one per clip, never deleted.
FOLDER = "clips"
# The provider surely did not accept the order, so it costs nothing. A CancelledError counts because
# nobody is asked about cancelling while an order is being sent.
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
    """What a job costs in the provider's own unit, and in US dollars if that is known."""

    amount: Decimal
    unit: str
    dollars: Decimal | None


def earlier_outcome_of_clip(call: ClipCall) -> EarlierOutcome:
    """What earlier attempts left of a clip that nobody is working on; None: order it (again)."""
    status = ClipCallStatus(call.status)
    has_file = bool(call.path) and made_files.is_kept(call.path)
    if status is ClipCallStatus.REFUSED or (status is ClipCallStatus.MADE and has_file):
        return Recorded(call)
    if status is ClipCallStatus.ORDERING:
        ClipCall.objects.filter(pk=call.pk).update(
            status=ClipCallStatus.UNCLEAR,
            error_kind=Outcome.LOST,
            error=DIED_WHILE_ORDERING,
            finished_at=timezone.now(),
        )
        return Unreported(UnclearSubmissionError(DIED_WHILE_ORDERING))
    if not call.job_id or status in {ClipCallStatus.FAILED, ClipCallStatus.UNCLEAR}:
        return None
    return Resumed({"job_id": call.job_id}, call={"status": ClipCallStatus.RUNNING})


def note_job(admitted: Admitted, job_id: str, estimate: Decimal | None = None) -> None:
    """Store the id of a job as soon as there is one: from now on the clip is not ordered again.

    `estimate` is the most that it can cost in US dollars, if the provider says that.
    """
    estimate = as_stored(estimate)
    reserved = {} if estimate is None else {"reserved_price": estimate}
    with writing():
        # Also for an attempt that others closed as lost: else the id of a paid job would be lost
        # too.
        ClipAttempt.objects.filter(pk=admitted.attempt_id).update(
            job_id=job_id, lease_until=timezone.now() + LEASE, **reserved
        )
        if admitted.payer and estimate is not None:
            add_to_sum(admitted.payer, estimate - admitted.reserved)
        ClipCall.objects.filter(pk=admitted.call_id, job_id="").update(
            job_id=job_id, status=ClipCallStatus.RUNNING, error_kind="", error=""
        )


def record_clip(
    admitted: Admitted, job_id: str, *, path: str, byte_count: int, notes: str, bill: Bill | None
) -> None:
    columns = {"path": path, "byte_count": byte_count, "notes": notes}
    record(
        admitted,
        End(Outcome.ANSWERED, ClipCallStatus.MADE, call=columns),
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
    """Record why there is no clip, and in which state that leaves the call.

    `was_ended`: the provider ended the job because we asked it to. `bills_refusals`: the provider
    charges for a clip that its moderation holds back.
    """
    is_free = not job_id and isinstance(error, _NOT_TAKEN)
    is_refused_job = isinstance(error, ModerationError) and bool(job_id)
    # A clip was made, even if its file could not be fetched; or the provider says what it costs.
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
        # After a second failed download it may be ordered again.
        return ClipCallStatus.FAILED if admitted.resumes else ClipCallStatus.UNUSABLE
    if isinstance(error, JobFailedError | RejectedError):
        return ClipCallStatus.FAILED
    # Time-outs, broken connections, strange answers, cancelled runs: the job can still be fetched.
    return ClipCallStatus.RUNNING


def _note_price(admitted: Admitted, job_id: str, bill: Bill | None) -> None:
    """Replace the price reserved for an order by what it cost, as reported if it was reported."""
    orders = ClipAttempt.objects.filter(call=admitted.call_id, job_id=job_id, resumes=False)
    # Another worker may note it, too.
    order = orders.select_for_update().order_by("-pk").first()
    if order is None:
        return
    counted = order.highest_price
    dollars = None if bill is None else as_stored(bill.dollars)
    price = order.reserved_price if dollars is None else dollars
    order.price = price
    if bill is not None:
        order.reported_cost, order.reported_unit = bill.amount, bill.unit
    order.save(update_fields=["price", "reported_cost", "reported_unit"])
    if order.payer:
        add_to_sum(order.payer, order.highest_price - counted)
    ClipCall.objects.filter(pk=admitted.call_id).update(price=price)
