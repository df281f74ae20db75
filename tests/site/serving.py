"""A site that is served by processes of its own."""

import itertools
import os
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from contextlib import contextmanager, suppress

import httpx
import numpy as np
import pytest
from django.conf import settings

from sample.corpus import load_corpus
from tests.migrated import give_static_files, give_tables

GENERATE_LIMIT_S = 300
START_LIMIT_S = 300
STOP_LIMIT_S = 120
# Of these the machine gives none to somebody who asks for any before the server has started. Each
# test process has its own, and begins anywhere among them: another run may be under way.
FIRST_PORT, PORTS_EACH, MOST_PROCESSES = 20_000, 1000, 12


def own_ports():
    process = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
    first = FIRST_PORT + process % MOST_PROCESSES * PORTS_EACH
    begin = int(np.random.default_rng().integers(PORTS_EACH))
    numbers = [(begin + number) % PORTS_EACH for number in range(PORTS_EACH)]
    return itertools.cycle([first + number for number in numbers])


PORTS = own_ports()


def free_port():
    for port in PORTS:
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port


def site_environment(
    folder, *, has_redis=True, has_tables=True, has_static_files=True, **variables
):
    """Return the variables of a site in `folder` with its tables, and a private Redis or files."""
    environment = {**os.environ, "PIEV_STATE": str(folder / "state"), "LOG_LEVEL": "WARNING"}
    environment |= {"DJANGO_SETTINGS_MODULE": "piev_site.settings", "SECRET_KEY": "only-for-tests"}
    for name in ("REDIS_URL", "DATABASE_URL"):
        environment.pop(name, None)
    if not has_redis:
        environment["PATH"] = str(folder)
    elif shutil.which("redis-server") is None:
        pytest.fail("redis-server is missing; on Debian: apt-get install redis-server")
    if has_tables:
        give_tables(folder / "state")
    if has_static_files:
        give_static_files(folder / "state")
    return {**environment, **variables}


@contextmanager
def serving(environment, *, log, folder=settings.BASE_DIR):
    """Run `manage.py serve` in `folder` until it is stopped; what it says goes to `log`.

    Nothing that it started may be left running.
    """
    port = free_port()
    command = [sys.executable, str(settings.BASE_DIR / "manage.py"), "serve", "--port", str(port)]
    with log.open("w") as file:
        server = subprocess.Popen(
            command, cwd=folder, env=environment, stdout=file, stderr=subprocess.STDOUT
        )
        server.port, server.url = port, f"http://127.0.0.1:{port}/"
        try:
            server.first_answer = wait_for_page(f"{server.url}login/", server, log)
            yield server
        finally:
            parts = children_of(server.pid)
            server.send_signal(signal.SIGTERM)
            server.wait(STOP_LIMIT_S)
    assert [part for part in parts if is_running(part)] == []


def wait_for_page(url, server, log=None, limit_s=START_LIMIT_S):
    """Return the page once the server answers; a server that ended is told with what it said."""
    deadline = time.monotonic() + limit_s
    while time.monotonic() < deadline:
        if server.poll() is not None:
            pytest.fail(log.read_text() if log else server.stdout.read())
        try:
            return httpx.get(url, timeout=limit_s)
        except httpx.TransportError:
            time.sleep(0.2)
    pytest.fail(f"no answer from {url} in {limit_s} s")


def logged_in(url, username, password):
    """Return a client of the site with the session of somebody who has typed name and password."""
    client = httpx.Client(base_url=url, follow_redirects=True, timeout=60)
    client.get("login/")
    token = client.cookies["csrftoken"]
    client.headers.update({"referer": url, "x-csrftoken": token})
    fields = {"username": username, "password": password, "csrfmiddlewaretoken": token}
    client.post("login/", data=fields).raise_for_status()
    assert "sessionid" in client.cookies
    # A login changes the token.
    client.headers["x-csrftoken"] = client.cookies["csrftoken"]
    return client


def children_of(process_id):
    """Return the ids of the processes that `process_id` started, read from the process table."""
    listing = subprocess.run(
        ["/bin/ps", "-o", "pid=", "--ppid", str(process_id)],
        capture_output=True,
        text=True,
        check=False,
    )
    return [int(line) for line in listing.stdout.split()]


def wait_for_traces(database):
    """Return how many traces with an ingested video each published data set has, once all are."""
    deadline = time.monotonic() + GENERATE_LIMIT_S
    statement = """
        select dataset.name, count(*) from generation_publishedtrace published
        join annotation_trace trace on trace.id = published.trace_id
        join annotation_videoingest ingest on ingest.video_id = trace.video_id
            and ingest.folder <> ''
        join annotation_dataset dataset on dataset.id = trace.dataset_id group by dataset.name
    """
    counts = {}
    while time.monotonic() < deadline and sum(counts.values()) < len(load_corpus().takes):
        time.sleep(0.2)
        with sqlite3.connect(f"file:{database}?mode=ro", uri=True, timeout=30) as connection:
            counts = dict(connection.execute(statement).fetchall())
    return counts


def command_line(process_id):
    listing = subprocess.run(
        ["/bin/ps", "-o", "args=", "-p", str(process_id)],
        capture_output=True,
        text=True,
        check=False,
    )
    return listing.stdout


def parts_of(server, word):
    """Return the ids of the parts of `serve` whose command line holds `word`."""
    return [pid for pid in children_of(server.pid) if word in command_line(pid)]


def is_running(process_id):
    """Return whether a process is there; one that only waits to be buried is not."""
    try:
        with open(f"/proc/{process_id}/stat") as file:  # noqa: PTH123
            return ") Z " not in file.read()
    except (FileNotFoundError, ProcessLookupError):
        return False


def wait_until(condition, limit_s=START_LIMIT_S):
    """Wait until the condition holds and return what it returned."""
    deadline = time.monotonic() + limit_s
    while time.monotonic() < deadline:
        result = condition()
        if result:
            return result
        time.sleep(0.05)
    pytest.fail(f"still not so after {limit_s} s")
