"""A site under `manage.py serve`, whose processes tests kill."""

import os
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import contextmanager

import pytest
from django.conf import settings

from tests.site.serving import children_of, command_line, parts_of, serving, site_environment

TAKE_COUNT = 250
# Shorter, and a busy machine lets it run out under workers that live, again and again.
LEASE_S = 5
START_LIMIT_S = 300
FINISH_LIMIT_S = 300
PAUSE_S = 0.02
STATUS_COUNTS = """
    select job.status, count(*) from annotation_job job
    join generation_runtake run_take on run_take.job_id = job.id
    join generation_run run on run.id = run_take.run_id
    where run.public_id = ? group by job.status
"""
ERRORS = """
    select job.error, count(*) from annotation_job job
    join generation_runtake run_take on run_take.job_id = job.id
    join generation_run run on run.id = run_take.run_id
    where run.public_id = ? and job.status = 'failed' group by job.error
"""


class ServedSite:
    """A site under `manage.py serve`, the process that launches runs on it, and its database."""

    def __init__(self, server, launcher, database):
        self.server = server
        self.launcher = launcher
        self.database = database

    def ask(self, command):
        self.launcher.stdin.write(f"{command}\n")
        self.launcher.stdin.flush()
        answer = self.launcher.stdout.readline().strip()
        assert answer, f"no answer to {command}"
        return answer

    def rows(self, statement, parameter):
        with sqlite3.connect(f"file:{self.database}?mode=ro", uri=True, timeout=30) as connection:
            return connection.execute(statement, [parameter]).fetchall()

    def wait_until(self, is_reached, run):
        deadline = time.monotonic() + FINISH_LIMIT_S
        while time.monotonic() < deadline:
            counts = dict(self.rows(STATUS_COUNTS, run))
            if is_reached(counts):
                return counts
            time.sleep(PAUSE_S)
        errors = self.rows(ERRORS, run)
        pytest.fail(f"run {run} is not that far after {FINISH_LIMIT_S} s: {counts} {errors}")

    def processes(self, part):
        """Return the ids of the children of `serve` whose command line holds `part`."""
        return parts_of(self.server, part)


@contextmanager
def served_site(folder, *, has_redis, take_count=TAKE_COUNT):
    """Serve a site with a state folder of its own, whose queue is a private Redis or files."""
    environment = site_environment(
        folder, has_redis=has_redis, LOG_LEVEL="ERROR", JOB_LEASE_SECONDS=str(LEASE_S)
    )
    with serving(environment, log=folder / "serve.log") as server:
        if has_redis:
            environment = {**environment, "REDIS_URL": redis_url(server)}
        launcher = subprocess.Popen(
            [sys.executable, "-m", "tests.generation.fault_site"],
            cwd=settings.BASE_DIR,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        with launcher:
            served = ServedSite(server, launcher, folder / "state" / "piev.sqlite3")
            served.ask(f"prepare {take_count}")
            yield served
            launcher.stdin.close()


def redis_url(server):
    """Return the address of the private Redis, which only the command lines of `serve` know."""
    deadline = time.monotonic() + START_LIMIT_S
    while time.monotonic() < deadline:
        for process_id in children_of(server.pid):
            words = command_line(process_id).split()
            sockets = [word.removeprefix("unixsocket:") for word in words if "redis.sock" in word]
            if sockets:
                return f"redis+socket://{sockets[0]}"
        time.sleep(PAUSE_S)
    pytest.fail("serve started no redis-server")


def worker_processes(site):
    """Return what works on takes: the children of a worker, or workers without children."""
    workers = site.processes("celery")
    return [child for worker in workers for child in children_of(worker)] or workers


def kill_whole_worker(site):
    for process_id in {*site.processes("celery"), *worker_processes(site)}:
        os.kill(process_id, signal.SIGKILL)
