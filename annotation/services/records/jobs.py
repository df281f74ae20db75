"""Queued work whose truth is a row: every job of both apps is claimed, worked and closed here.

A broker may lose a message or deliver it twice. So a message only says "look at job 7": the worker
claims the row with a conditional update and gets an attempt number, works outside any transaction
while it extends its lease, and writes its result only if the row still carries that attempt. A
sweeper puts rows whose lease ran out, and rows whose message got lost, back on the queue, and sends
rows again whose pause is over.
"""

import logging
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.db import OperationalError, connection, transaction
from django.db.models import Case, F, Max, Q, QuerySet, When
from django.db.models.functions import Greatest
from django.utils import timezone

from annotation.backends.log_context import logged_with
from annotation.models import Job, JobStatus, JobStop, User
from annotation.services.records.audit_log import record
from annotation.services.records.parallel import each_done, leave_connection
from annotation.services.records.stopping import is_stopping

logger = logging.getLogger(__name__)

LEASE = timedelta(seconds=settings.JOB_LEASE_SECONDS)
# Written for every answer of a model, and the ORM takes four times as long over it.
EXTEND_SQL = f"""
UPDATE {Job._meta.db_table} SET lease_until = %s, heartbeat_at = %s,
  done_count = COALESCE(%s, done_count), total_count = COALESCE(%s, total_count)
WHERE id = %s AND attempt = %s AND status = %s
"""  # noqa: S608 - the name of our own table
# A queued row is taken for lost when nothing at all was claimed or finished for this long,
STALLED_AFTER = LEASE * 2 / 3
# or nothing for so long but the beats of workers, who may all be at long work.
PATIENCE = LEASE * 20
# So many workers may end over a job, one after the other, before it is given up.
MOST_LOSSES = 5
GIVEN_UP = (
    f"The worker stopped {MOST_LOSSES} times in a row at this without getting any further. Most"
    " often the machine has too little memory for it; the log of the worker, or of the machine,"
    " says why. Fix that, then try again."
)
# How many lost jobs one sweep sends again.
MOST_LOST = 5000
BEAT_PAUSE_S = LEASE.total_seconds() / 3
# Pages ask about as often; a report after every frame would cost more than the frame.
REPORT_PAUSE_S = 1.0

# Takes how many parts of a work are done, and how many there are.
Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Claim:
    """The right to work on a job until its lease runs out."""

    job_id: int
    attempt: int
    kind: str
    payload: Mapping[str, object]
    created_by_id: int | None = None


class LostClaimError(Exception):
    """The job was cancelled, or its lease ran out and another worker has it."""


class WorkerStopsError(LostClaimError):
    """The worker is asked to stop: it gives the job back, and the next one goes on with it."""


def refuse_if_stopping() -> None:
    """Raise WorkerStopsError before something new is begun in a worker that has to stop."""
    if is_stopping():
        raise WorkerStopsError("the worker is asked to stop")


def enqueue_jobs(
    *, kind: str, payload_by_key: Mapping[str, Mapping[str, object]], created_by: User | None
) -> list[int]:
    """Add one job per key that has none yet and return the ids of all of them.

    Asking twice for the same (kind, key) is asking once.
    """
    rows = [
        Job(kind=kind, key=key, payload=dict(payload), created_by=created_by)
        for key, payload in payload_by_key.items()
    ]
    Job.objects.bulk_create(rows, ignore_conflicts=True)
    keys = list(payload_by_key)
    return list(Job.objects.filter(kind=kind, key__in=keys).values_list("pk", flat=True))


def claim_job(*, job_id: int, now: datetime | None = None) -> Claim | None:
    """Take the job if it is queued or its worker's lease ran out; None where another has it.

    A job at which worker after worker stopped is given up instead.
    """
    moment = now or timezone.now()
    rows = Job.objects.filter(pk=job_id)
    is_over = Q(lease_until__lt=moment)
    queued = rows.filter(is_over | Q(lease_until=None), status=JobStatus.QUEUED)
    columns = {
        "status": JobStatus.RUNNING,
        "attempt": F("attempt") + 1,
        "lease_until": moment + LEASE,
        "heartbeat_at": moment,
        "started_at": moment,
        "finished_at": None,
        "error": "",
    }
    with transaction.atomic():
        if not queued.update(**columns):
            expired = rows.filter(is_over, status=JobStatus.RUNNING)
            went_on = When(done_count__gt=F("done_when_lost"), then=1)
            losses = Case(went_on, default=F("losses") + 1)
            marks = Greatest("done_when_lost", "done_count")
            if not expired.update(losses=losses, done_when_lost=marks):
                return None
            if _is_given_up(expired, moment) or not expired.update(**columns):
                return None
        job = rows.only("pk", "attempt", "kind", "payload", "created_by_id").get()
    return Claim(job.pk, job.attempt, job.kind, job.payload, job.created_by_id)


def _is_given_up(expired: QuerySet[Job], moment: datetime) -> bool:
    """Close a job as failed whose workers stop again and again; returns whether it was closed."""
    job = expired.filter(losses__gte=MOST_LOSSES).first()
    if job is None:
        return False
    stop = {"stop_reason": JobStop.WORKERS_LOST, "error": GIVEN_UP}
    expired.update(status=JobStatus.FAILED, lease_until=None, finished_at=moment, **stop)
    detail = {"kind": job.kind, "key": job.key, "losses": job.losses}
    record(actor=None, action="job.give_up", subject=f"job:{job.public_id}", detail=detail)
    return True


def _update_held(claim: Claim, **fields: object) -> None:
    held = Job.objects.filter(pk=claim.job_id, attempt=claim.attempt, status=JobStatus.RUNNING)
    if not held.update(**fields):
        raise _lost(claim)


def _lost(claim: Claim) -> LostClaimError:
    return LostClaimError(f"job {claim.job_id}, attempt {claim.attempt}")


def extend_lease(
    *, claim: Claim, done_count: int | None = None, total_count: int | None = None
) -> None:
    """Record that the work goes on, and how far it is; LostClaimError means that it must stop."""
    adapted, moment = connection.ops.adapt_datetimefield_value, timezone.now()
    values = [adapted(moment + LEASE), adapted(moment), done_count, total_count]
    with connection.cursor() as cursor:
        cursor.execute(EXTEND_SQL, [*values, claim.job_id, claim.attempt, JobStatus.RUNNING])
        is_held = bool(cursor.rowcount)
    if not is_held:
        raise _lost(claim)


def pass_milestone(*, claim: Claim) -> None:
    """Record that all so far is done for good: the next parts are counted anew."""
    counts = {"done_count": 0, "total_count": 0, "losses": 0, "done_when_lost": 0}
    _update_held(claim, lease_until=timezone.now() + LEASE, heartbeat_at=timezone.now(), **counts)


def finish_job(*, claim: Claim, result: Mapping[str, object]) -> None:
    """Close the job as done. Call it in the transaction that writes what the work produced."""
    _close(claim, status=JobStatus.DONE, result=dict(result))


def fail_job(*, claim: Claim, error: str, stop_reason: str = "") -> None:
    """Close the job as failed, with the reason that people will read."""
    _close(claim, status=JobStatus.FAILED, error=error, stop_reason=stop_reason)


def wait_for_person(*, claim: Claim) -> None:
    """Leave the job until somebody has done their part; `requeue_jobs` goes on with it."""
    _update_held(claim, status=JobStatus.WAITING, lease_until=None, done_count=0, total_count=0)


def put_back(*, claim: Claim, pause: timedelta, batch_size: int) -> None:
    """Give the job back to the queue, which sends it again after a pause, with others like it.

    Its worker lives and did nothing of the work, so this counts neither as an attempt nor as lost.
    Whoever held the number before lost it to this claim and cannot meet it again: the next one is
    given out only to who claims the job.
    """
    moment = timezone.now()
    _update_held(
        claim,
        status=JobStatus.QUEUED,
        attempt=F("attempt") - 1,
        queued_at=moment,
        lease_until=moment + pause,
        batch_size=batch_size,
        losses=0,
        done_when_lost=0,
    )


def _close(claim: Claim, *, status: JobStatus, **fields: object) -> None:
    _update_held(claim, status=status, lease_until=None, finished_at=timezone.now(), **fields)


@contextmanager
def beating(claim: Claim) -> Iterator[threading.Event]:
    """Extend the lease from a thread of its own while the body works.

    Yields an event that is set when the claim is lost; long work looks at it between its parts.
    """
    is_over, is_lost = threading.Event(), threading.Event()

    def beat() -> None:
        try:
            while not is_over.wait(BEAT_PAUSE_S):
                try:
                    extend_lease(claim=claim)
                except OperationalError as error:
                    # A database that is busy or starts anew: the lease lasts for three beats.
                    logger.warning("job %s: its lease is not extended: %s", claim.job_id, error)
                finally:
                    # Held between the beats it would be a second connection for every job.
                    connection.close()
        except LostClaimError:
            is_lost.set()

    thread = threading.Thread(target=beat, daemon=True)
    thread.start()
    try:
        yield is_lost
    finally:
        is_over.set()
        # The thread may wait for this very connection, as all those of the pool may.
        leave_connection()
        thread.join()


def progress_reporter(
    claim: Claim, is_lost: threading.Event, watch: Progress | None = None
) -> Progress:
    """What long work calls after every part; it raises LostClaimError when to stop.

    `watch` is told of every part too.
    """
    reported_s = 0.0

    def report(done_count: int, total_count: int) -> None:
        nonlocal reported_s
        if is_lost.is_set():
            raise LostClaimError(f"job {claim.job_id}, attempt {claim.attempt}")
        refuse_if_stopping()
        now_s = time.monotonic()
        if now_s - reported_s >= REPORT_PAUSE_S:
            reported_s = now_s
            extend_lease(claim=claim, done_count=done_count, total_count=total_count)
        if watch is not None:
            watch(done_count, total_count)

    return report


def work_on_jobs(
    *,
    job_ids: Iterable[int],
    handler: Callable[[Claim], Mapping[str, object] | None],
    thread_count: int = 1,
) -> None:
    """Claim and work on each job, in turn or in so many threads.

    `handler` returns the result to close the job with, or None when it closed the job itself (in
    the transaction that wrote its rows). What it raises closes the job as failed with that reason
    and does not stop the others.

    A worker that is asked to stop gives back what it has not done yet, for another to go on with.
    """
    job_ids = list(job_ids)

    def work(job_id: int) -> None:
        claim = claim_job(job_id=job_id)
        if claim is None:
            return
        whose = {} if claim.created_by_id is None else {"user": claim.created_by_id}
        with logged_with(job=claim.job_id, kind=claim.kind, **whose):
            work_on(claim)

    def work_on(claim: Claim) -> None:
        try:
            refuse_if_stopping()
            result = handler(claim)
            if result is not None:
                finish_job(claim=claim, result=result)
        except LostClaimError:
            if is_stopping() and _is_given_back(claim, len(job_ids)):
                logger.info("job %s, attempt %s: given back", claim.job_id, claim.attempt)
            else:
                logger.info("job %s, attempt %s: claim lost", claim.job_id, claim.attempt)
        # The outer edge of every task: whatever went wrong belongs to this job and is shown with
        # it.
        except Exception as error:
            logger.exception("job %s, attempt %s failed", claim.job_id, claim.attempt)
            try:
                fail_job(claim=claim, error=f"{type(error).__name__}: {error}")
            except LostClaimError:
                logger.info("job %s, attempt %s: claim lost", claim.job_id, claim.attempt)

    for _ in each_done(job_ids, work, at_once=thread_count):
        pass


def _is_given_back(claim: Claim, batch_size: int) -> bool:
    """Put a job back that this worker has to leave; False if it lost the claim."""
    try:
        put_back(claim=claim, pause=timedelta(0), batch_size=batch_size)
    except LostClaimError:
        return False
    return True


def cancel_jobs(*, job_ids: Iterable[int]) -> int:
    """Cancel what is not finished, return how many; a running worker notices at its next beat."""
    unfinished = Q(status__in=[JobStatus.QUEUED, JobStatus.RUNNING, JobStatus.WAITING])
    return Job.objects.filter(unfinished, pk__in=list(job_ids)).update(
        status=JobStatus.CANCELLED, lease_until=None, finished_at=timezone.now()
    )


def requeue_jobs(*, job_ids: Iterable[int], with_done: bool = False) -> list[int]:
    """Put failed, cancelled and waiting jobs back on the queue and return their ids.

    `with_done` also those that are done, where there is more to do than was asked for.
    """
    at_rest = [JobStatus.FAILED, JobStatus.CANCELLED, JobStatus.WAITING]
    stopped = Job.objects.filter(
        pk__in=list(job_ids), status__in=[*at_rest, *([JobStatus.DONE] if with_done else [])]
    )
    with transaction.atomic():
        ids = list(stopped.select_for_update().values_list("pk", flat=True))
        Job.objects.filter(pk__in=ids).update(
            status=JobStatus.QUEUED,
            queued_at=timezone.now(),
            lease_until=None,
            finished_at=None,
            losses=0,
            done_when_lost=0,
            stop_reason="",
            error="",
        )
    return ids


def due_jobs(*, now: datetime | None = None) -> dict[tuple[str, int], list[int]]:
    """The jobs whose pause is over, by kind and by how many of them share a message."""
    paused = Job.objects.filter(status=JobStatus.QUEUED, lease_until__lt=now or timezone.now())
    due: dict[tuple[str, int], list[int]] = defaultdict(list)
    for job in paused.order_by("lease_until").only("kind", "batch_size")[:MOST_LOST]:
        due[job.kind, job.batch_size].append(job.pk)
    return due


def lost_job_ids(*, now: datetime | None = None) -> list[int]:
    """The jobs that need a new message: their lease ran out, or their message was lost.

    Behind a long queue an old row merely waits for its turn, and a second message for it would be
    noise. But messages come in the order in which they were sent: one that was overtaken is lost.
    """
    moment = now or timezone.now()
    expired = Job.objects.filter(status=JobStatus.RUNNING, lease_until__lt=moment)
    ids = list(expired.values_list("pk", flat=True)[:MOST_LOST])
    sent = Job.objects.filter(status=JobStatus.QUEUED, lease_until=None)
    queued = sent.order_by("queued_at", "pk")
    oldest = queued.values_list("queued_at", flat=True).first()
    if oldest is None:
        return ids
    # The last message whose job was begun a lease ago: a lease is longer than what the jobs of one
    # message take that are worked on in turn.
    begun = Job.objects.filter(
        queued_at__gt=oldest, started_at__gte=F("queued_at"), started_at__lt=moment - LEASE
    )
    overtaken_by = begun.aggregate(latest=Max("queued_at"))["latest"]
    due = max(filter(None, (_standing_since(moment), overtaken_by)), default=None)
    if due is not None:
        lost = queued.filter(queued_at__lt=due)
        ids += list(lost.values_list("pk", flat=True)[: MOST_LOST - len(ids)])
    return ids


def note_sent(*, job_ids: Iterable[int]) -> None:
    """Record that a new message is sent for jobs: it comes after all that were sent before.

    Of one that is running, or was, the first message may still come back from the broker.
    """
    queued = Job.objects.filter(pk__in=list(job_ids), status=JobStatus.QUEUED)
    queued.update(queued_at=timezone.now(), lease_until=None)


def _standing_since(moment: datetime) -> datetime | None:
    """Messages sent before this moment are lost; None while the queue moves."""
    recent, long_ago = moment - STALLED_AFTER, moment - PATIENCE
    if Job.objects.filter(Q(started_at__gte=long_ago) | Q(finished_at__gte=long_ago)).exists():
        beats = Q(heartbeat_at__gte=recent)
        moving = Q(started_at__gte=recent) | Q(finished_at__gte=recent) | beats
        return None if Job.objects.filter(moving).exists() else recent
    return long_ago if Job.objects.filter(heartbeat_at__gte=recent).exists() else recent
