"""Processes are killed for real in mid-run; every take is planned exactly once all the same.

`manage.py serve` keeps web, worker, sweeper and Redis running; a run that was hit finishes by
itself after the restart, with the plans of a run that nobody disturbed.
"""

import os
import shutil
import signal

import pytest

from tests.generation.served_site import (
    STATUS_COUNTS,
    TAKE_COUNT,
    kill_whole_worker,
    served_site,
    worker_processes,
)

# Kill when so many takes are done: work is under way, and most of it still lies ahead.
DONE_BEFORE_KILL = 30
DOCUMENTS = """
    select run_take.position, plan.document from generation_takeplan plan
    join generation_runtake run_take on run_take.id = plan.run_take_id
    join generation_run run on run.id = run_take.run_id
    where run.public_id = ? order by run_take.position
"""
TIMES_PLANNED = """
    select count(*) from annotation_auditentry
    where action = 'run_take.correct' and subject like ? group by subject
"""


@pytest.fixture(scope="module")
def redis_site(tmp_path_factory):
    if shutil.which("redis-server") is None:
        pytest.fail("redis-server is missing; on Debian: apt-get install redis-server")
    with served_site(tmp_path_factory.mktemp("redis"), has_redis=True) as site:
        yield site


@pytest.fixture(scope="module")
def files_site(tmp_path_factory):
    with served_site(tmp_path_factory.mktemp("files"), has_redis=False) as site:
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
def test_run_that_was_hit_finishes_like_an_undisturbed_one(request, site_name, kill):
    hit_and_compare(request.getfixturevalue(site_name), kill)


def hit_and_compare(site, kill):
    run = site.ask("launch")
    site.wait_until(lambda counts: counts.get("done", 0) >= DONE_BEFORE_KILL, run)

    kill(site)
    at_kill = dict(site.rows(STATUS_COUNTS, run))
    at_end = site.wait_until(lambda counts: counts.get("done", 0) == TAKE_COUNT, run)

    assert at_kill["done"] < TAKE_COUNT
    assert at_end == {"done": TAKE_COUNT}
    assert site.rows(TIMES_PLANNED, f"run:{run}/%") == [(1,)] * TAKE_COUNT
    assert site.rows(DOCUMENTS, run) == site.rows(DOCUMENTS, site.undisturbed)
    assert len(site.rows(DOCUMENTS, run)) == TAKE_COUNT
