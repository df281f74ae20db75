"""Who waits, for a model or for its own beat, holds no connection to the database."""

import json
import threading
import time
from functools import partial

import pytest
from django.db import connection, connections

from annotation.models import JobStatus
from annotation.services.records import jobs
from annotation.services.records.parallel import leave_connection
from generation.backends.retrying import RetryPolicy
from generation.engine.run_options import RunOptions
from generation.engine.stages import Stage
from generation.services.run_work import work_on_takes
from generation.services.runs import create_run
from generation.services.texts.asker import TextAsker
from tests.fakes.openai_server import OpenAiServer
from tests.generation.tea import TEA_STEPS, add_take, request_for
from tests.generation.text_endpoints import make_endpoint

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has no server to fill"),
]
TAKES = 8
PATIENCE_S = 60


def held_connections():
    stats = connection.pool.get_stats()
    return stats["pool_size"] - stats["pool_available"]


def test_takes_that_wait_for_a_model_hold_no_connection(tea_dataset, settings, monkeypatch):
    settings.TAKES_AT_ONCE = TAKES
    quick = RetryPolicy(max_attempts=2, first_pause_s=0.01, max_pause_s=0.05)
    monkeypatch.setattr(
        "generation.services.texts.run_models.TextAsker", partial(TextAsker, policy=quick)
    )
    for number in range(TAKES - tea_dataset.takes.count()):
        add_take(tea_dataset, f"more-{number}")
    rows = [
        {"old": index, "new": index, "mod": "u", "etype": None, "eid": None, "cid": None}
        for index in range(len(TEA_STEPS))
    ]
    text = json.dumps({"final_steps": list(TEA_STEPS), "meta": rows})
    with OpenAiServer([{"do": "answer", "text": text}], most_answered=0) as server:
        writer = make_endpoint(server.url, concurrency=TAKES, timeout_s=PATIENCE_S)
        options = RunOptions(writer=writer.public_id)
        stages = [Stage.PLAN, Stage.CORRECT, Stage.WRITE]
        request = request_for(tea_dataset, stages=stages, options=options.to_dict())
        made = create_run(request=request, actor=None)
        leave_connection()
        work = threading.Thread(target=work_on_takes, kwargs={"job_ids": made.job_ids})
        work.start()
        deadline = time.monotonic() + PATIENCE_S
        # Beside those that wait, somebody may just tell how far the job is.
        while server.inside < TAKES or held_connections():
            if time.monotonic() > deadline:
                break
            time.sleep(0.01)
        waiting, held = server.inside, held_connections()
        server.most_answered = TAKES
        work.join()

    assert (waiting, held) == (TAKES, 0)
    states = set(made.run.run_takes.values_list("job__status", flat=True))
    assert states == {JobStatus.DONE}


def test_who_waits_for_its_beat_to_end_holds_no_connection(monkeypatch):
    """Where all of the pool are held so, no beat gets one, and all wait for each other."""
    own, beats, was_given_back = connections["default"], threading.Event(), []

    def extend_lease(*, claim):
        beats.set()
        deadline = time.monotonic() + PATIENCE_S
        while own.connection is not None and time.monotonic() < deadline:
            time.sleep(0.01)
        was_given_back.append(own.connection is None)

    monkeypatch.setattr(jobs, "BEAT_PAUSE_S", 0.01)
    monkeypatch.setattr(jobs, "extend_lease", extend_lease)
    own.ensure_connection()
    with jobs.beating(jobs.Claim(job_id=1, attempt=1, kind="ingest", payload={})):
        assert beats.wait(60)

    assert was_given_back[0]
