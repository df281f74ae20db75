"""Takes that find no place at an endpoint make way for other jobs and come back later."""

import threading
from datetime import timedelta

import pytest
from celery import current_app
from django.db import connection

from annotation.launch import send_due_jobs
from annotation.models import Job, JobStatus
from generation.engine.run_options import RunOptions
from generation.engine.stages import Stage
from generation.models import TextCall, TextEndpoint
from generation.services import run_payer, run_work
from generation.services.run_work import work_on_takes
from generation.services.runs import create_run
from tests.fakes.openai_server import OpenAiServer
from tests.generation.tea import request_for
from tests.generation.text_endpoints import make_endpoint

pytestmark = pytest.mark.django_db(transaction=True)
PATIENCE_S = 0.3


@pytest.fixture(autouse=True)
def impatient(monkeypatch):
    monkeypatch.setattr(run_payer, "PATIENCE_S", PATIENCE_S)
    monkeypatch.setattr(run_work, "PAUSE", timedelta(0))
    monkeypatch.setattr(run_work, "PAUSE_PER_MESSAGE", timedelta(0))


@pytest.fixture
def messages(monkeypatch):
    sent = []
    monkeypatch.setattr(current_app, "send_task", lambda name, args: sent.append(args[0]))
    return sent


@pytest.fixture
def server():
    """Return a server that begins its first answer and drips blanks until it may go on."""
    with OpenAiServer(drips=True, most_answered=0) as running:
        yield running


def jobs_of(run):
    return list(run.run_takes.order_by("position").values_list("job_id", flat=True))


class Worker(threading.Thread):
    """Works on one message beside the test."""

    def __init__(self, job_ids):
        super().__init__(daemon=True)
        self.job_ids = job_ids

    def run(self):
        try:
            work_on_takes(job_ids=self.job_ids)
        finally:
            connection.close()


@pytest.fixture
def written_run(tea_dataset, owner, server):
    """Return a run whose text model has one place."""
    model = make_endpoint(server.url, concurrency=1, timeout_s=120, owner=owner)
    request = request_for(
        tea_dataset,
        stages=[Stage.PLAN, Stage.CORRECT, Stage.WRITE],
        options=RunOptions(writer=model.public_id).to_dict(),
    )
    return create_run(request=request, actor=owner).run


def states_of(run):
    takes = run.run_takes.order_by("position")
    return list(takes.values_list("job__status", "job__attempt", "stages_done"))


def test_slow_endpoint_does_not_block_the_other_worker(written_run, tea_run, server, messages):
    first, second, third = jobs_of(written_run)
    slow_worker = Worker([first])
    slow_worker.start()
    while not server.asked:
        slow_worker.join(0.01)

    # The other worker: two more takes of the run, and behind them those of another run.
    for job_ids in ([second], [third], jobs_of(tea_run)):
        work_on_takes(job_ids=job_ids)

    assert slow_worker.is_alive()
    assert {status for status, _, _ in states_of(tea_run)} == {JobStatus.DONE}
    paused = (JobStatus.QUEUED, 0, 2)
    assert states_of(written_run) == [(JobStatus.RUNNING, 1, 2), paused, paused]
    assert len(server.asked) == 1

    server.most_answered = 99
    slow_worker.join(60)
    send_due_jobs()
    assert sorted(messages) == [[second], [third]]
    for job_ids in messages:
        work_on_takes(job_ids=job_ids)

    # What the model says is no rewrite: each take asks three times, and fails at its first attempt.
    assert states_of(written_run) == [(JobStatus.FAILED, 1, 2)] * 3
    assert len(server.asked) == TextCall.objects.count() == 9


def test_takes_that_make_way_come_back_as_many_to_a_message_as_the_endpoint_answers_at_once(
    written_run, server, messages
):
    TextEndpoint.objects.update(concurrency=2)
    first, second, third = jobs_of(written_run)
    holder = Worker([first, second])
    holder.start()
    while len(server.asked) < 2:
        holder.join(0.01)

    work_on_takes(job_ids=[third])

    server.most_answered = 99
    holder.join(60)
    assert Job.objects.get(pk=third).batch_size == 2
