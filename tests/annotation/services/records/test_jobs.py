"""A job is claimed by one worker at a time, closed once, and found again when its worker dies."""

import threading
from datetime import timedelta

import pytest
from django.db import OperationalError, connection
from django.utils import timezone

from annotation.models import AuditEntry, Job, JobStatus, JobStop
from annotation.services.records import jobs, stopping
from annotation.services.records.parallel import close_connections


@pytest.fixture
def job_id(db):
    return one_job()


def one_job(key="take-1"):
    (new_id,) = jobs.enqueue_jobs(kind="plan", payload_by_key={key: {"take": 1}}, created_by=None)
    return new_id


def test_enqueue_twice_is_enqueue_once(db):
    first = jobs.enqueue_jobs(kind="plan", payload_by_key={"a": {}, "b": {}}, created_by=None)

    second = jobs.enqueue_jobs(kind="plan", payload_by_key={"a": {}, "b": {}}, created_by=None)

    assert sorted(first) == sorted(second)
    assert Job.objects.count() == 2


def test_claim_gives_the_payload_to_the_first_worker_only(job_id):
    first = jobs.claim_job(job_id=job_id)
    second = jobs.claim_job(job_id=job_id)

    assert first == jobs.Claim(job_id=job_id, attempt=1, kind="plan", payload={"take": 1})
    assert second is None


def test_claim_takes_over_when_the_lease_ran_out(job_id):
    jobs.claim_job(job_id=job_id)

    later = timezone.now() + jobs.LEASE + timedelta(seconds=1)

    assert jobs.claim_job(job_id=job_id, now=later).attempt == 2


def test_finish_stores_the_result(job_id):
    claim = jobs.claim_job(job_id=job_id)

    jobs.finish_job(claim=claim, result={"errors": 2})

    job = Job.objects.get(pk=job_id)
    assert (job.status, job.result, job.lease_until) == (JobStatus.DONE, {"errors": 2}, None)


def test_a_worker_that_lost_its_lease_cannot_write(job_id):
    slow = jobs.claim_job(job_id=job_id)
    later = timezone.now() + jobs.LEASE + timedelta(seconds=1)
    quick = jobs.claim_job(job_id=job_id, now=later)
    jobs.finish_job(claim=quick, result={"by": "quick"})

    with pytest.raises(jobs.LostClaimError):
        jobs.finish_job(claim=slow, result={"by": "slow"})

    assert Job.objects.get(pk=job_id).result == {"by": "quick"}


def test_a_cancelled_job_tells_its_worker_at_the_next_beat(job_id):
    claim = jobs.claim_job(job_id=job_id)

    cancelled_count = jobs.cancel_jobs(job_ids=[job_id])

    assert cancelled_count == 1
    with pytest.raises(jobs.LostClaimError):
        jobs.extend_lease(claim=claim, done_count=3)


def test_a_beat_that_meets_a_busy_database_is_followed_by_the_next(monkeypatch):
    """The lease lasts for three beats; work that stopped to extend it would be done twice."""
    beats, again = [], threading.Event()

    def extend_lease(*, claim):
        beats.append(claim)
        if len(beats) == 1:
            raise OperationalError("database is locked")
        again.set()

    monkeypatch.setattr(jobs, "BEAT_PAUSE_S", 0.01)
    monkeypatch.setattr(jobs, "extend_lease", extend_lease)
    claim = jobs.Claim(job_id=1, attempt=1, kind="ingest", payload={})
    with jobs.beating(claim) as is_lost:
        assert again.wait(60)

    assert not is_lost.is_set()
    assert set(map(id, beats)) == {id(claim)}


def test_progress_is_kept_with_the_beat(job_id):
    claim = jobs.claim_job(job_id=job_id)

    jobs.extend_lease(claim=claim, done_count=3, total_count=8)

    job = Job.objects.get(pk=job_id)
    assert (job.done_count, job.total_count) == (3, 8)


def test_a_failed_job_can_be_tried_again_and_a_finished_one_cannot(db):
    failed, done = one_job("failed"), one_job("done")
    jobs.fail_job(claim=jobs.claim_job(job_id=failed), error="no such take")
    jobs.finish_job(claim=jobs.claim_job(job_id=done), result={})

    requeued = jobs.requeue_jobs(job_ids=[failed, done])

    assert requeued == [failed]
    assert Job.objects.get(pk=failed).error == ""


def test_a_job_that_waits_for_a_person_is_left_alone_until_it_is_put_back(job_id):
    claim = jobs.claim_job(job_id=job_id)
    jobs.extend_lease(claim=claim, done_count=1, total_count=3)
    jobs.wait_for_person(claim=claim)
    later = timezone.now() + 10 * jobs.LEASE
    waiting = Job.objects.get(pk=job_id)

    assert (waiting.status, waiting.lease_until) == (JobStatus.WAITING, None)
    assert (waiting.done_count, waiting.total_count) == (0, 0)
    assert jobs.claim_job(job_id=job_id, now=later) is None
    assert jobs.lost_job_ids(now=later) == []
    with pytest.raises(jobs.LostClaimError):
        jobs.finish_job(claim=claim, result={})
    assert jobs.requeue_jobs(job_ids=[job_id]) == [job_id]
    assert jobs.claim_job(job_id=job_id).attempt == 2


def test_a_waiting_job_can_be_cancelled_and_only_its_worker_can_let_it_wait(job_id):
    claim = jobs.claim_job(job_id=job_id)
    jobs.wait_for_person(claim=claim)

    with pytest.raises(jobs.LostClaimError):
        jobs.wait_for_person(claim=claim)

    assert jobs.cancel_jobs(job_ids=[job_id]) == 1
    assert Job.objects.get(pk=job_id).status == JobStatus.CANCELLED


@pytest.mark.django_db(transaction=True)
def test_jobs_in_threads_end_one_by_one_and_leave_no_connection():
    keys = ["first", "second", "third"]
    job_ids = jobs.enqueue_jobs(
        kind="count", payload_by_key={key: {"key": key} for key in keys}, created_by=None
    )
    all_here = threading.Barrier(len(keys), timeout=60)
    connections = []

    def work(claim):
        all_here.wait()
        connections.append(connection.connection)
        if claim.payload["key"] == "second":
            raise ValueError("no such number")
        return {"key": claim.payload["key"]}

    jobs.work_on_jobs(job_ids=job_ids, handler=work, thread_count=len(keys))

    rows = Job.objects.in_bulk(job_ids)
    assert [str(rows[pk].status) for pk in job_ids] == ["done", "failed", "done"]
    assert rows[job_ids[1]].error == "ValueError: no such number"
    # Those that were given back to the pool of PostgreSQL end with it, others would stay open.
    close_connections()
    for opened in connections:
        with pytest.raises(connection.Database.Error, match="closed"):
            opened.cursor()


def test_lost_jobs_are_those_whose_lease_ran_out(db):
    dead, alive = one_job("dead"), one_job("alive")
    moment = timezone.now()
    jobs.claim_job(job_id=dead, now=moment - jobs.LEASE - timedelta(seconds=5))
    jobs.claim_job(job_id=alive, now=moment)

    assert jobs.lost_job_ids(now=moment) == [dead]


def test_queued_jobs_are_lost_only_when_nothing_moves(db):
    waiting = one_job("waiting")
    working = one_job("working")
    claimed_at = timezone.now()
    jobs.claim_job(job_id=working, now=claimed_at)
    soon = claimed_at + timedelta(seconds=5)
    much_later = claimed_at + jobs.LEASE + jobs.STALLED_AFTER

    assert jobs.lost_job_ids(now=soon) == []
    assert sorted(jobs.lost_job_ids(now=much_later)) == sorted([waiting, working])


def queued(key, *, sent_at):
    """Queue a job whose message was sent at a moment."""
    job_id = one_job(key)
    Job.objects.filter(pk=job_id).update(queued_at=sent_at)
    return job_id


def begin(job_id, *, at, now):
    """Let a worker begin a job at a moment; it works on it until now."""
    jobs.claim_job(job_id=job_id, now=at)
    Job.objects.filter(pk=job_id).update(heartbeat_at=now, lease_until=now + jobs.LEASE)


def test_a_queued_job_that_was_overtaken_is_lost_while_others_wait_their_turn(db):
    now = timezone.now()
    lost, waiting = (
        queued("lost", sent_at=now - 5 * jobs.LEASE),
        queued("waiting", sent_at=now - jobs.LEASE),
    )
    later = queued("later", sent_at=now - 4 * jobs.LEASE)
    begin(later, at=now - jobs.LEASE / 2, now=now)
    at_first = jobs.lost_job_ids(now=now)

    a_lease_on = now + jobs.LEASE
    Job.objects.filter(pk=later).update(
        heartbeat_at=a_lease_on, lease_until=a_lease_on + jobs.LEASE
    )

    # Jobs of one message are begun one after the other: not yet, at first.
    assert at_first == []
    assert jobs.lost_job_ids(now=a_lease_on) == [lost]
    jobs.note_sent(job_ids=[lost])
    assert jobs.lost_job_ids(now=a_lease_on) == []
    assert Job.objects.get(pk=waiting).status == JobStatus.QUEUED


def test_a_job_that_was_put_back_is_not_overtaken_by_those_before_it(db):
    now = timezone.now()
    again = queued("again", sent_at=now - 9 * jobs.LEASE)
    working = queued("working", sent_at=now - 4 * jobs.LEASE)
    begin(working, at=now - 3 * jobs.LEASE, now=now)
    Job.objects.filter(pk=again).update(status=JobStatus.CANCELLED)

    jobs.requeue_jobs(job_ids=[again])

    assert jobs.lost_job_ids(now=now) == []


def test_queued_jobs_are_sent_again_when_nothing_was_begun_for_long(db):
    now = timezone.now()
    first = queued("first", sent_at=now - jobs.PATIENCE * 2)
    begin(first, at=now - jobs.PATIENCE * 2, now=now)
    stuck, fresh = (
        queued("stuck", sent_at=now - jobs.PATIENCE - jobs.LEASE),
        queued("fresh", sent_at=now - jobs.LEASE),
    )

    lost = jobs.lost_job_ids(now=now)
    jobs.note_sent(job_ids=lost)

    # The only worker beats for an hour, and perhaps another one is idle.
    assert (lost, jobs.lost_job_ids(now=now)) == ([stuck], [])
    assert Job.objects.get(pk=fresh).status == JobStatus.QUEUED


@pytest.mark.django_db(transaction=True)
def test_of_many_simultaneous_claims_exactly_one_succeeds():
    job_id = one_job()
    barrier = threading.Barrier(6)
    claims = []

    def claim():
        barrier.wait()
        try:
            claims.append(jobs.claim_job(job_id=job_id))
        finally:
            connection.close()

    threads = [threading.Thread(target=claim) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert [claim.attempt for claim in claims if claim] == [1]
    assert len(claims) == 6


def lose(job_id, times, *, done_counts=None):
    """Let so many workers end over a job, each after as many parts as `done_counts` says."""
    for number in range(times):
        claim = jobs.claim_job(job_id=job_id)
        if done_counts:
            jobs.extend_lease(claim=claim, done_count=done_counts[number], total_count=99)
        Job.objects.filter(pk=job_id).update(lease_until=timezone.now() - timedelta(seconds=1))
    return jobs.claim_job(job_id=job_id)


def test_a_job_over_which_worker_after_worker_ends_fails_and_says_why(job_id):
    claim = lose(job_id, jobs.MOST_LOSSES)

    job = Job.objects.get(pk=job_id)
    assert claim is None
    assert (job.status, job.stop_reason) == (JobStatus.FAILED, JobStop.WORKERS_LOST)
    assert job.error.startswith("The worker stopped 5 times in a row at this")
    assert (job.attempt, job.lease_until, jobs.lost_job_ids()) == (5, None, [])
    entry = AuditEntry.objects.get(action="job.give_up")
    assert entry.detail == {"kind": "plan", "key": "take-1", "losses": 5}


def test_a_job_that_was_given_up_has_all_its_tries_again_once_a_person_wants_it(job_id):
    lose(job_id, jobs.MOST_LOSSES)

    jobs.requeue_jobs(job_ids=[job_id])

    assert Job.objects.get(pk=job_id).stop_reason == ""
    assert lose(job_id, jobs.MOST_LOSSES - 1).attempt == 10


@pytest.mark.parametrize(
    ("done_counts", "is_given_up"),
    [
        # Each worker got further than those before it.
        ([1, 2, 3, 4, 5, 6], False),
        # The first got somewhere; the others did the same again, or less.
        ([7, 7, 2, 7, 7], True),
        ([1, 1, 1, 2, 2, 2], False),
    ],
)
def test_losses_count_only_as_long_as_nobody_gets_further(job_id, done_counts, is_given_up):
    claim = lose(job_id, len(done_counts), done_counts=done_counts)

    assert (claim is None) == is_given_up


def test_a_milestone_makes_earlier_losses_forgotten(job_id):
    jobs.pass_milestone(claim=lose(job_id, jobs.MOST_LOSSES - 1, done_counts=[9] * 4))
    Job.objects.filter(pk=job_id).update(lease_until=timezone.now() - timedelta(seconds=1))

    assert lose(job_id, jobs.MOST_LOSSES - 2).attempt == 9


def test_a_job_that_is_put_back_pauses_and_counts_as_never_begun(job_id):
    claim = lose(job_id, 2, done_counts=[3, 3])
    pause = timedelta(seconds=20)

    jobs.put_back(claim=claim, pause=pause, batch_size=4)

    now, over = timezone.now(), timezone.now() + pause
    job = Job.objects.get(pk=job_id)
    assert (job.status, job.attempt, job.losses, job.done_count) == (JobStatus.QUEUED, 2, 0, 3)
    with pytest.raises(jobs.LostClaimError):
        jobs.extend_lease(claim=claim)
    assert (jobs.due_jobs(now=now), jobs.claim_job(job_id=job_id, now=now)) == ({}, None)
    assert jobs.lost_job_ids(now=over + jobs.PATIENCE) == []
    assert jobs.due_jobs(now=over) == {("plan", 4): [job_id]}
    jobs.note_sent(job_ids=[job_id])
    assert jobs.due_jobs(now=over) == {}
    assert jobs.claim_job(job_id=job_id).attempt == 3


def test_who_lost_a_job_cannot_write_after_another_put_it_back(job_id):
    slow = jobs.claim_job(job_id=job_id)
    Job.objects.filter(pk=job_id).update(lease_until=timezone.now() - timedelta(seconds=1))
    jobs.put_back(claim=jobs.claim_job(job_id=job_id), pause=timedelta(0), batch_size=1)
    with pytest.raises(jobs.LostClaimError):
        jobs.finish_job(claim=slow, result={})

    jobs.note_sent(job_ids=[job_id])
    jobs.claim_job(job_id=job_id)

    with pytest.raises(jobs.LostClaimError):
        jobs.finish_job(claim=slow, result={})


def test_a_job_that_pauses_can_be_cancelled(job_id):
    claim = jobs.claim_job(job_id=job_id)
    jobs.put_back(claim=claim, pause=timedelta(0), batch_size=1)

    jobs.cancel_jobs(job_ids=[job_id])

    assert jobs.due_jobs(now=timezone.now() + jobs.LEASE) == {}


@pytest.fixture
def stop(monkeypatch):
    """Ask this process to stop, until the test is over."""
    monkeypatch.setattr(stopping, "_is_asked", bytearray(1))
    return stopping.ask_to_stop


def test_a_worker_that_stops_gives_back_what_it_has_not_done(db, stop):
    first, second, third = (queued(key, sent_at=timezone.now()) for key in "abc")
    worked_on = []

    def work(claim):
        worked_on.append(claim.job_id)
        if claim.job_id == second:
            stop()
            jobs.refuse_if_stopping()
        return {}

    jobs.work_on_jobs(job_ids=[first, second, third], handler=work)

    later = timezone.now() + timedelta(seconds=1)
    left = Job.objects.order_by("pk").values_list("status", "attempt", "losses", "error")
    assert worked_on == [first, second]
    assert list(left) == [("done", 1, 0, ""), ("queued", 0, 0, ""), ("queued", 0, 0, "")]
    assert [ids for _, ids in jobs.due_jobs(now=later).items()] == [[second, third]]


def test_a_worker_that_stops_finishes_work_that_begins_nothing_new(job_id, stop):
    def work(claim):
        stop()
        return {"was": "under way"}

    jobs.work_on_jobs(job_ids=[job_id], handler=work)

    assert Job.objects.get(pk=job_id).result == {"was": "under way"}


def test_long_work_is_left_between_two_parts_when_the_worker_stops(job_id, stop):
    claim = jobs.claim_job(job_id=job_id)
    report = jobs.progress_reporter(claim, threading.Event())
    report(1, 3)
    stop()

    with pytest.raises(jobs.WorkerStopsError):
        report(2, 3)


def test_a_worker_that_stops_gives_back_no_job_that_was_cancelled_meanwhile(job_id, stop):
    def work(claim):
        jobs.cancel_jobs(job_ids=[job_id])
        stop()
        jobs.refuse_if_stopping()

    jobs.work_on_jobs(job_ids=[job_id], handler=work)

    assert Job.objects.get(pk=job_id).status == JobStatus.CANCELLED
