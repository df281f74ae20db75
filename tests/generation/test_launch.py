"""Messages go out when the rows are committed, many takes to one, and are made up for when lost."""

from datetime import timedelta

import pytest
from celery import current_app
from django.utils import timezone
from kombu.exceptions import OperationalError

from annotation.launch import RESENT_MESSAGES, resend_lost_jobs
from annotation.models import Job, JobStatus
from annotation.services.records.jobs import LEASE, enqueue_jobs
from generation import launch
from generation.engine.run_options import RunOptions
from generation.engine.stages import Stage
from generation.models import RunTake
from generation.services import run_work
from tests.generation.tea import request_for
from tests.generation.text_endpoints import make_endpoint


@pytest.fixture
def messages(monkeypatch):
    """Return the messages that go out, as (task, job ids)."""
    sent = []
    monkeypatch.setattr(current_app, "send_task", lambda name, args: sent.append((name, args[0])))
    return sent


@pytest.fixture
def broken_queue(monkeypatch):
    def refuse(name, args):
        raise OperationalError("no answer")

    monkeypatch.setattr(current_app, "send_task", refuse)


def job_ids_of(run):
    takes = RunTake.objects.filter(run=run).order_by("position")
    return list(takes.values_list("job_id", flat=True))


def test_launch_sends_batches_once_the_rows_are_committed(
    tea_dataset, owner, messages, monkeypatch, django_capture_on_commit_callbacks
):
    monkeypatch.setattr(run_work, "QUICK_BATCH", 2)

    with django_capture_on_commit_callbacks() as callbacks:
        run = launch.launch_run(request=request_for(tea_dataset), actor=owner)
    before = list(messages)
    for callback in callbacks:
        callback()

    first, second, third = job_ids_of(run)
    assert before == []
    assert messages == [
        ("generation.work_on_takes", [first, second]),
        ("generation.work_on_takes", [third]),
    ]


@pytest.mark.parametrize(
    ("places", "stages", "sizes"),
    [(2, [], [2, 1]), (1, [], [1, 1, 1]), (8, [], [3]), (8, [Stage.VIDEO], [1, 1, 1])],
)
def test_takes_that_wait_for_a_model_share_a_message_as_far_as_it_answers_at_once(
    tea_dataset, owner, messages, django_capture_on_commit_callbacks, places, stages, sizes
):
    model = make_endpoint(owner=owner, concurrency=places)
    options = RunOptions(writer=model.public_id).to_dict()
    chosen = [Stage.PLAN, Stage.CORRECT, Stage.WRITE, *stages]

    with django_capture_on_commit_callbacks(execute=True):
        request = request_for(tea_dataset, stages=chosen, options=options)
        launch.launch_run(request=request, actor=owner)

    assert [len(job_ids) for _, job_ids in messages] == sizes


def test_resume_sends_the_cancelled_takes_only(
    tea_run, owner, messages, django_capture_on_commit_callbacks
):
    done, *cancelled = job_ids_of(tea_run)
    Job.objects.filter(pk=done).update(status=JobStatus.DONE)
    Job.objects.filter(pk__in=cancelled).update(status=JobStatus.CANCELLED)

    with django_capture_on_commit_callbacks(execute=True):
        queued_count = launch.resume_run(run=tea_run, actor=owner)

    assert queued_count == 2
    assert messages == [("generation.work_on_takes", cancelled)]


@pytest.mark.django_db(transaction=True)
def test_sweeper_sends_messages_of_a_launch_without_a_queue(
    tea_dataset, owner, broken_queue, monkeypatch
):
    run = launch.launch_run(request=request_for(tea_dataset), actor=owner)
    Job.objects.update(queued_at=timezone.now() - LEASE)
    sent = []
    monkeypatch.setattr(current_app, "send_task", lambda name, args: sent.extend(args[0]))

    assert resend_lost_jobs() == 3
    assert sorted(sent) == job_ids_of(run)


def test_many_lost_jobs_share_messages(db, messages):
    keys = {str(number): {} for number in range(3 * RESENT_MESSAGES)}
    enqueue_jobs(kind="generation.work_on_takes", payload_by_key=keys, created_by=None)
    Job.objects.update(queued_at=timezone.now() - LEASE - timedelta(seconds=1))

    assert resend_lost_jobs() == 3 * RESENT_MESSAGES
    assert {len(job_ids) for _, job_ids in messages} == {3}
    assert len(messages) == RESENT_MESSAGES
    # They were sent just now, so that nobody sends them again before their turn can have come.
    assert resend_lost_jobs() == 0
