"""Runs whose owner may not use a model any more: they stop before the next call, and go on."""

import json
from functools import partial

import pytest
from django.db import connection

from generation.backends.retrying import RetryPolicy
from generation.engine.run_options import RunOptions
from generation.engine.stages import Stage
from generation.models import TextCall, TextEndpoint
from generation.selectors.run_stops import RunStop, stop_of
from generation.services.run_work import work_on_takes
from generation.services.runs import create_run, resume_run
from generation.services.texts.asker import TextAsker
from tests.fakes.openai_server import OpenAiServer
from tests.generation.tea import TEA_STEPS, request_for
from tests.generation.text_endpoints import make_endpoint

pytestmark = pytest.mark.django_db(transaction=True)
QUICK = RetryPolicy(max_attempts=3, first_pause_s=0.01, max_pause_s=0.05)
WRITING = [Stage.PLAN, Stage.CORRECT, Stage.WRITE]
ROWS = [
    {"old": index, "new": index, "mod": "u", "etype": None, "eid": None, "cid": None}
    for index in range(len(TEA_STEPS))
]
WRITTEN = {"do": "answer", "text": json.dumps({"final_steps": list(TEA_STEPS), "meta": ROWS})}
WHY = "ts owner may not use Local any more; the owner of that model can share it."
REASON = f"The run was stopped: i{WHY}"


@pytest.fixture(autouse=True)
def one_by_one(settings):
    """Let the takes be worked on in turn, so that it is known which of them is stopped."""
    settings.TAKES_AT_ONCE = 1


@pytest.fixture(autouse=True)
def impatient(monkeypatch):
    monkeypatch.setattr(
        "generation.services.texts.run_models.TextAsker", partial(TextAsker, policy=QUICK)
    )


@pytest.fixture
def server():
    with OpenAiServer([WRITTEN]) as running:
        yield running


@pytest.fixture
def model(server, outsider):
    """Return a model that somebody else shares."""
    return make_endpoint(server.url, owner=outsider, is_shared=True)


@pytest.fixture
def run(tea_dataset, owner, model):
    options = RunOptions(writer=model.public_id).to_dict()
    request = request_for(tea_dataset, stages=WRITING, options=options)
    return create_run(request=request, actor=owner).run


def work_on(run, count=None):
    work_on_takes(job_ids=list(run.run_takes.values_list("job_id", flat=True))[:count])


def states(run):
    return list(run.run_takes.order_by("position").values_list("job__status", flat=True))


def share(is_shared):
    TextEndpoint.objects.update(is_shared=is_shared)


def acting(server, act, deed):
    """Let the server do something with the database before it plays an act."""
    usual = server.next_act

    def next_act():
        server.next_act = usual
        deed()
        connection.close()
        return act

    server.next_act = next_act


def test_run_stops_before_the_next_call_and_resumes_when_shared_again(run, owner, server):
    work_on(run, 1)
    share(False)
    work_on(run)
    stopped, asked_count = states(run), len(server.asked)
    job = run.run_takes.get(job__status="failed").job
    stop = stop_of(run)
    share(True)

    work_on_takes(job_ids=resume_run(run=run, actor=owner))

    run.refresh_from_db()
    assert (stopped, asked_count) == (["done", "failed", "cancelled"], 1)
    assert job.error == REASON
    assert stop == RunStop(f"I{WHY}", needs_budget=False)
    assert (states(run), run.cancelled_at) == (["done"] * 3, None)
    assert (len(server.asked), stop_of(run)) == (3, None)


@pytest.mark.parametrize("act", [{"do": "not_json"}, {"do": "rate_limit"}])
def test_run_stops_in_the_middle_of_a_take(run, server, act):
    acting(server, act, partial(share, False))

    work_on(run)

    assert states(run) == ["failed", "cancelled", "cancelled"]
    assert (len(server.asked), TextCall.objects.count()) == (1, 1)
    assert run.run_takes.get(position=0).job.error == REASON


def test_recorded_answers_are_read_without_the_model(run, tea_dataset, owner, outsider, server):
    work_on(run)
    share(False)
    again = create_run(
        request=request_for(tea_dataset, stages=WRITING, options=run.options), actor=owner
    ).run

    work_on(again)

    assert (states(again), len(server.asked)) == (["done"] * 3, 3)


def test_model_deleted_in_the_middle_of_a_take_fails_it_with_words(run, server):
    acting(server, {"do": "not_json"}, TextEndpoint.objects.all().delete)

    work_on(run, 1)

    error = run.run_takes.get(position=0).job.error
    assert error == "Local gave no text: the text model Local was deleted"
    assert len(server.asked) == 1


def test_resuming_a_run_leaves_other_failures_alone(run, owner):
    share(False)
    work_on(run, 1)
    other = run.run_takes.get(position=1).job
    other.status, other.error = "failed", "The take has no step."
    other.save()

    assert len(resume_run(run=run, actor=owner)) == 2
    assert states(run) == ["queued", "failed", "queued"]
