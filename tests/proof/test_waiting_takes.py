"""200 takes wait for a slow model on four workers, and 60 connections are enough for every page.

PostgreSQL, Redis, web, workers and the model's HTTP server are real.
"""

import json
import os
import subprocess
import sys
import time
from contextlib import ExitStack, closing, contextmanager

import psycopg
import pytest

from tests.fakes.openai_server import OpenAiServer
from tests.generation.tea import answer_that_keeps_the_steps
from tests.migrated import REPOSITORY
from tests.proof.test_kills_on_other_ways import redis_server
from tests.site.serving import logged_in, serving, site_environment

TAKES, DISTINCT, WORKERS, PROCESSES, CONNECTIONS = 200, 173, 4, 2, 60
PASSWORD = "a-long-pass-word"
PATIENCE_S, STOP_LIMIT_S = 600, 60
SERVER_SIDE = "import os, sys; print(os.environ['DATABASE_URL'], flush=True); sys.stdin.read()"
PAGES = (
    "health/", "queue/", "datasets/", "campaigns/", "runs/", "runs/{run}/", "runs/{run}/progress/",
    "datasets/{dataset}/", "status/", "endpoints/", "api/v1/runs/{run}/", "api/v1/datasets/",
)  # fmt: skip
CONNECTED_SQL = "SELECT COUNT(*) FROM pg_stat_activity WHERE backend_type = 'client backend'"


@contextmanager
def started(command, **settings):
    process = subprocess.Popen(command, text=True, **settings)
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(STOP_LIMIT_S)
        except subprocess.TimeoutExpired:
            # It waits for takes whose model will not answer any more.
            process.kill()


@contextmanager
def postgresql():
    """The address of a private PostgreSQL that takes so many connections."""
    script = [sys.executable, str(REPOSITORY / "scripts" / "with_postgresql.py")]
    command = [*script, sys.executable, "-c", SERVER_SIDE]
    environment = {**os.environ, "POSTGRESQL_CONNECTIONS": str(CONNECTIONS)}
    server = subprocess.Popen(
        command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        yield server.stdout.readline().strip()
    finally:
        server.communicate(timeout=PATIENCE_S)


def launched(environment, model):
    """Make the site's account and data set and launch the run; their ids."""
    command = [sys.executable, "-m", "tests.proof.waiting_takes_process", model, str(TAKES)]
    done = subprocess.run(
        [*command, PASSWORD], cwd=REPOSITORY, env=environment, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def wait_until(condition):
    deadline = time.monotonic() + PATIENCE_S
    while not condition():
        if time.monotonic() > deadline:
            pytest.fail("it took too long")
        time.sleep(0.2)


def test_every_page_answers_while_200_takes_wait_for_a_model(tmp_path):
    answer = {"do": "answer", "text": answer_that_keeps_the_steps()}
    slow = OpenAiServer([answer], most_answered=0)
    with ExitStack() as parts:
        address = parts.enter_context(postgresql())
        environment = site_environment(
            tmp_path, has_tables=False, DATABASE_URL=address,
            REDIS_URL=parts.enter_context(redis_server(tmp_path)),
            TAKES_AT_ONCE=str(TAKES // WORKERS // PROCESSES),
        )  # fmt: skip
        # On a busy machine it takes longer than a server is waited for.
        migrate = [sys.executable, "manage.py", "migrate", "--verbosity", "0"]
        subprocess.run(migrate, cwd=REPOSITORY, env=environment, check=True)
        model = parts.enter_context(slow)
        site = parts.enter_context(serving(environment, log=tmp_path / "serve.log"))
        # `serve` has one already.
        for number in range(WORKERS - 1):
            worker = [sys.executable, "-m", "celery", "--quiet", "-A", "piev_site", "worker"]
            worker += ["--concurrency", str(PROCESSES), "--hostname", f"more{number}@%h"]
            parts.enter_context(started(worker, cwd=REPOSITORY, env=environment))
        ids = launched(environment, model.url)
        # Takes whose plan is the same ask the same question, which is sent once: 173 are distinct.
        wait_until(lambda: model.inside == DISTINCT)

        client = parts.enter_context(closing(logged_in(site.url, "owner", PASSWORD)))
        answers = {page: client.get(page.format(**ids)).status_code for page in PAGES * 3}
        with psycopg.connect(address) as own:
            connected = own.execute(CONNECTED_SQL).fetchone()[0]
        model.most_answered = TAKES
        progress = f"api/v1/runs/{ids['run']}/"
        wait_until(lambda: client.get(progress).json()["progress"]["is_finished"])
        run = client.get(progress).json()

    assert answers == dict.fromkeys(PAGES, 200)
    assert connected <= CONNECTIONS
    assert len(model.asked) == DISTINCT
    assert run["progress"]["done_count"] == TAKES
