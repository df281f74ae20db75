"""Processes are killed for real in mid-run; every take is planned exactly once all the same.

`manage.py serve` keeps web, worker, sweeper and Redis running; a run that was hit finishes by
itself after the restart, with the plans of a run that nobody disturbed. Where a model writes, every
text arrives, and no answer is paid for twice.
"""

import json
import math
import os
import shutil
import signal

import pytest

from tests.fakes.openai_server import OpenAiServer
from tests.generation.served_site import (
    STATUS_COUNTS,
    kill_whole_worker,
    served_site,
    worker_processes,
)
from tests.generation.tea import TEA_STEPS

TAKE_COUNT = 60
# Kill when so many takes are done: work is under way, and most of it still lies ahead.
DONE_BEFORE_KILL = 20
WRITTEN_COUNT, WRITTEN_BEFORE_KILL = 40, 8
LATENCY_S = 0.1
CONCURRENCY = 4
DOCUMENTS = """
    select run_take.position, plan.document from generation_takeplan plan
    join generation_runtake run_take on run_take.id = plan.run_take_id
    join generation_run run on run.id = run_take.run_id
    where run.public_id = ? order by run_take.position
"""
TEXTS = """
    select take.uid, rewrite.document from generation_takerewrite rewrite
    join generation_runtake run_take on run_take.id = rewrite.run_take_id
    join generation_run run on run.id = run_take.run_id
    join annotation_take take on take.id = run_take.take_id
    where run.public_id = ?
"""
CALLS = """
    select call.id, call.status, call.text from generation_textcall call
    where call.payer = 'run:' || ?
"""
TIMES_PLANNED = """
    select count(*) from annotation_auditentry
    where action = 'run_take.correct' and subject like ? group by subject
"""


@pytest.fixture(scope="module")
def redis_site(tmp_path_factory):
    if shutil.which("redis-server") is None:
        pytest.fail("redis-server is missing; on Debian: apt-get install redis-server")
    with served_site(
        tmp_path_factory.mktemp("redis"), has_redis=True, take_count=TAKE_COUNT
    ) as site:
        site.undisturbed = site.ask("alone")
        yield site


@pytest.fixture(scope="module")
def files_site(tmp_path_factory):
    with served_site(
        tmp_path_factory.mktemp("files"), has_redis=False, take_count=TAKE_COUNT
    ) as site:
        site.undisturbed = site.ask("alone")
        yield site


def kill_worker_child(site):
    os.kill(worker_processes(site)[0], signal.SIGKILL)


def kill_web(site):
    os.kill(site.processes("gunicorn")[0], signal.SIGKILL)


def kill_redis(site):
    os.kill(site.processes("redis-server")[0], signal.SIGKILL)


# What loses most, per queue; `make proof` kills every part of both.
HARDEST_CASES = [
    pytest.param("redis_site", kill_redis, marks=pytest.mark.redis),
    pytest.param("files_site", kill_whole_worker),
]


@pytest.mark.parametrize(("site_name", "kill"), HARDEST_CASES)
def test_run_with_killed_workers_finishes_like_an_uninterrupted_one(request, site_name, kill):
    site = request.getfixturevalue(site_name)

    done_at_kill, left = hit_in_mid_run(site, kill)

    assert done_at_kill < TAKE_COUNT
    assert left == left_undisturbed(site)


def hit_in_mid_run(site, kill):
    """How many takes of a run were done when it was hit, and what it leaves at its end.

    That is: how many takes are in which state, how often each was planned, and the plans.
    """
    run = site.ask("launch")
    site.wait_until(lambda counts: counts.get("done", 0) >= DONE_BEFORE_KILL, run)
    kill(site)
    at_kill = dict(site.rows(STATUS_COUNTS, run))
    at_end = site.wait_until(lambda counts: counts.get("done", 0) == TAKE_COUNT, run)
    left = at_end, site.rows(TIMES_PLANNED, f"run:{run}/%"), site.rows(DOCUMENTS, run)
    return at_kill["done"], left


def left_undisturbed(site):
    """What a run leaves that nobody disturbs: every take done, planned once, with its plan."""
    plans = site.rows(DOCUMENTS, site.undisturbed)
    assert len(plans) == TAKE_COUNT
    return {"done": TAKE_COUNT}, [(1,)] * TAKE_COUNT, plans


def unchanged_text():
    """Return an answer that can be read for any of the takes: what is wrong is for the judge."""
    texts = list(TEA_STEPS * 2)
    row = {"mod": "u", "etype": None, "eid": None, "cid": None}
    rows = [{**row, "old": index, "new": index} for index in range(len(texts))]
    return json.dumps({"final_steps": texts, "meta": rows})


def test_killed_workers_lose_no_answer_and_pay_none_twice(files_site):
    site = files_site
    act = {"do": "answer", "text": unchanged_text()}
    with OpenAiServer([act], latency_s=LATENCY_S) as server:
        server.most_answered = WRITTEN_COUNT // 2
        run = site.ask(f"write {server.url} {WRITTEN_COUNT}")
        site.wait_until(lambda counts: counts.get("done", 0) >= WRITTEN_BEFORE_KILL, run)

        kill_whole_worker(site)
        recorded = len([row for row in site.rows(CALLS, run) if row[1] == "answered"])
        server.most_answered = math.inf
        site.wait_until(lambda counts: counts.get("done", 0) == WRITTEN_COUNT, run)

        asked_count = len(server.asked)

    calls = site.rows(CALLS, run)
    assert recorded < WRITTEN_COUNT
    assert len(site.rows(TEXTS, run)) == WRITTEN_COUNT
    assert {status for _, status, _ in calls} == {"answered"}
    # One request per question; only those that were on their way at the kill were sent again.
    assert len(calls) <= asked_count <= len(calls) + CONCURRENCY
