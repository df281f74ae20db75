"""What the benches of saves share: a fresh site with raters, their requests, its web server."""

import contextlib
import http.client
import itertools
import json
import os
import secrets
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from bench.load import HOST, NextRequest, post_request

REPOSITORY = Path(__file__).resolve().parent.parent
WORKERS, THREADS = 2, 4
EVENTS_PER_TRACE = 3
METRICS = ("human_plausibility", "confusability", "sequence_consistency")
START_LIMIT_S = 60
# What the bare floor takes for a first save.
UNUSED_SEQUENCE = str(2**52 - 2)
RATED_AT = "2026-01-01T00:00:00Z"


def site_environment(folder: Path, database: str) -> dict[str, str]:
    """The variables of a fresh site in the folder; its database is DATABASE_URL or there."""
    (folder / "static").mkdir(parents=True)
    environment = {
        **os.environ,
        "PIEV_STATE": str(folder),
        "SECRET_KEY": secrets.token_urlsafe(32),
        "DEBUG": "0",
        "LOG_LEVEL": "WARNING",
        "DJANGO_SETTINGS_MODULE": "piev_site.settings",
    }
    if database == "sqlite":
        environment.pop("DATABASE_URL", None)
    return environment


def ask_site(  # type: ignore[no-untyped-def]
    environment: dict[str, str], *arguments: str, site: str = "bench.saves_site"
):
    """What the module that makes the site answers."""
    command = [sys.executable, "-m", site, *arguments]
    done = subprocess.run(
        command, cwd=REPOSITORY, env=environment, check=True, stdout=subprocess.PIPE, text=True
    )
    return json.loads(done.stdout)


def rating_client(path: str, headers: str) -> NextRequest:
    """What makes one rater's next request: another value of another metric each time."""
    numbers = itertools.count(1)

    def next_request() -> bytes:
        number = next(numbers)
        change = {
            "sequence": number,
            "event": number % EVENTS_PER_TRACE,
            "metric": METRICS[number // EVENTS_PER_TRACE % len(METRICS)],
            "value": str(number % 5 + 1),
            "confidence": None,
            "base_revision": 0,
            "rated_at": RATED_AT,
        }
        body = json.dumps({"client_id": "bench", "changes": [change]})
        return post_request(path, headers, body.encode())

    return next_request


@contextlib.contextmanager
def served(application: str, environment: dict[str, str], *options: str) -> Iterator[int]:
    """Serve an application as the site is served, and yield its port."""
    port = free_port()
    settings_module = ["--config", "python:piev_site.web_server"]
    command = [sys.executable, "-m", "gunicorn", *settings_module, "--bind", f"{HOST}:{port}"]
    command += ["--workers", str(WORKERS), "--threads", str(THREADS), *options, application]
    server = subprocess.Popen(command, cwd=REPOSITORY, env=environment)
    try:
        wait_until_it_answers(port, server)
        yield port
    finally:
        server.terminate()
        server.wait(START_LIMIT_S)


def processor_time_s() -> float:
    """The processor time so far of what this process started and what that started, if it runs."""
    parents, used = {}, {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):  # it has ended meanwhile
            # Behind the name, which may hold anything: proc(5), fields 4, 14 and 15.
            fields = stat.read_text().rpartition(") ")[2].split()
            parents[int(stat.parent.name)] = int(fields[1])
            used[int(stat.parent.name)] = int(fields[11]) + int(fields[12])
    family = {os.getpid()}
    while found := {pid for pid, parent in parents.items() if parent in family} - family:
        family |= found
    return sum(used[pid] for pid in family - {os.getpid()}) / os.sysconf("SC_CLK_TCK")


def free_port() -> int:
    """A port that nobody uses."""
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])


def wait_until_it_answers(port: int, server: "subprocess.Popen[bytes]") -> None:
    """Wait for the first answer, whatever it is: the port is open before the site is loaded."""
    deadline = time.monotonic() + START_LIMIT_S
    while time.monotonic() < deadline and server.poll() is None:
        connection = http.client.HTTPConnection(HOST, port, timeout=START_LIMIT_S)
        with contextlib.suppress(OSError), contextlib.closing(connection):
            connection.request("GET", "/health/", UNUSED_SEQUENCE)
            connection.getresponse()
            return
        time.sleep(0.1)
    sys.exit("the server did not start")


# Two neighbours of the segmentations of `bench.segments_site`, whose edge is one number.
LEFT, RIGHT = "k3", "k4"


def cascade(revision: int) -> dict[str, object]:
    """A gesture as a browser sends it: the shared edge goes a little to and fro."""
    edge_s = 720.0 + revision % 7
    return {
        "name": "move end",
        "changes": [
            {"key": LEFT, "base_revision": revision, "set": {"end_s": edge_s}},
            {"key": RIGHT, "base_revision": revision, "set": {"start_s": edge_s}},
        ],
    }


def gesture_body(number: int, client_id: str) -> str:
    """The body of a person's gesture number so and so: each makes the next revision of both."""
    gesture = {"sequence": number, "made_at": RATED_AT, **cascade(number)}
    return json.dumps({"client_id": client_id, "gestures": [gesture]})


def gesture_client(path: str, headers: str) -> NextRequest:
    """What makes one person's next request: the same edge, moved on."""
    numbers = itertools.count(1)
    return lambda: post_request(path, headers, gesture_body(next(numbers), "bench").encode())
