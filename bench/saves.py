"""Saves per second of the real endpoint under 50 concurrent clients, beside a bare floor.

    python -m bench.saves [--database sqlite|postgresql] [--seconds 8] [--rounds 3]

A fresh database, gunicorn with 2 workers x 4 threads on 127.0.0.1, 50 closed-loop clients, each a
logged-in annotator (session and CSRF token) who rates one metric after the other. The floor is the
same server running the same SQL statements on SQLite without any framework; both wait for the disk
at each commit, and take turns. PostgreSQL is the one that DATABASE_URL names, else a private one
(which does not wait for the disk).
"""

import argparse
import contextlib
import itertools
import json
import os
import resource
import secrets
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from statistics import median

from bench.load import HOST, LoadResult, NextRequest, post_request, run_load

REPOSITORY = Path(__file__).resolve().parent.parent
CLIENTS = 50
WORKERS, THREADS = 2, 4
EVENTS_PER_TRACE = 3
METRICS = ("human_plausibility", "confusability", "sequence_consistency")
# Of the floor's rate to the site's, on SQLite.
WANTED_RATIO = 3.0
# On PostgreSQL, which has no floor here.
WANTED_PER_S = 350
BARE_NUMBERS = itertools.count(1)
START_LIMIT_S = 30
RATED_AT = "2026-01-01T00:00:00Z"


def main() -> int:
    options = _options()
    if options.database == "postgresql" and not os.environ.get("DATABASE_URL"):
        return _in_private_postgresql()
    with tempfile.TemporaryDirectory(prefix="piev-bench-") as name:
        is_good = _measure(Path(name), options)
    return 0 if is_good else 1


def _measure(folder: Path, options: argparse.Namespace) -> bool:
    environment = _environment(folder / "site", options.database)
    raters = [_rating_client(**rater) for rater in _site(environment, "prepare", str(CLIENTS))]
    floor = _floor(folder / "floor") if options.database == "sqlite" else nullcontext()
    rounds: list[LoadResult] = []
    bare_rounds: list[LoadResult] = []
    with floor as floor_port:
        before_s = _processor_time_s()
        with _server("piev_site.wsgi:application", environment) as port:
            for _ in range(options.rounds):
                rounds.append(run_load(port, raters, options.seconds))
                if floor_port:
                    bare_rounds.append(run_load(floor_port, _bare_clients(), options.seconds))
        processor_s = _processor_time_s() - before_s
    _show(f"POST changes, {options.database}", rounds)
    good_count = sum(len(item.latencies_s) for item in rounds)
    logged_count = _site(environment, "count")
    print(f"  answered good {good_count}, in the log {logged_count}")
    # Start-up included; unlike the rate, this hardly depends on what else the machine does.
    print(f"  {1000 * processor_s / good_count:.2f} ms of the server's processor time per save")
    is_whole = good_count == logged_count and not any(item.errors for item in rounds)
    return is_whole and (_is_near(rounds, bare_rounds) if bare_rounds else _is_fast(rounds))


def _is_near(rounds: list[LoadResult], bare_rounds: list[LoadResult]) -> bool:
    """Show the floor and say whether the site is near it."""
    _show("bare floor: the same SQL without a framework, sqlite", bare_rounds)
    ratio = median(
        bare.good_per_s / ours.good_per_s for ours, bare in zip(rounds, bare_rounds, strict=True)
    )
    print(f"the floor saves {ratio:.2f} times as often; wanted at most {WANTED_RATIO:g}")
    return ratio <= WANTED_RATIO


def _is_fast(rounds: list[LoadResult]) -> bool:
    print(f"wanted {WANTED_PER_S}/s")
    return median(item.good_per_s for item in rounds) >= WANTED_PER_S


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Saves per second under 50 clients.")
    parser.add_argument("--database", choices=("sqlite", "postgresql"), default="sqlite")
    parser.add_argument("--seconds", type=float, default=8.0)
    parser.add_argument("--rounds", type=int, default=3)
    return parser.parse_args()


def _in_private_postgresql() -> int:
    script = REPOSITORY / "scripts" / "with_postgresql.py"
    command = [sys.executable, str(script), sys.executable, "-m", "bench.saves", *sys.argv[1:]]
    return subprocess.run(command, cwd=REPOSITORY, check=False).returncode


def _environment(folder: Path, database: str) -> dict[str, str]:
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


def _site(environment: dict[str, str], *arguments: str):  # type: ignore[no-untyped-def]
    command = [sys.executable, "-m", "bench.saves_site", *arguments]
    done = subprocess.run(
        command, cwd=REPOSITORY, env=environment, check=True, stdout=subprocess.PIPE, text=True
    )
    return json.loads(done.stdout)


def _rating_client(path: str, headers: str) -> NextRequest:
    """Return what makes one rater's next request: another value of another metric each time."""
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
def _floor(folder: Path) -> Iterator[int]:
    """Serve the statements of one save on a database of their own."""
    environment = _environment(folder, "sqlite")
    _site(environment, "prepare", "1")
    statements = folder / "statements.json"
    statements.write_text(json.dumps(_site(environment, "record")))
    environment["BENCH_STATEMENTS"] = str(statements)
    environment["BENCH_DATABASE"] = str(folder / "piev.sqlite3")
    with _server("bench.floor_app:application", environment) as port:
        yield port


def _bare_clients() -> list[NextRequest]:
    return [lambda: post_request("/", "", str(next(BARE_NUMBERS)).encode())] * CLIENTS


@contextlib.contextmanager
def _server(application: str, environment: dict[str, str]) -> Iterator[int]:
    port = _free_port()
    settings_module = ["--config", "python:piev_site.web_server"]
    command = [sys.executable, "-m", "gunicorn", *settings_module, "--bind", f"{HOST}:{port}"]
    command += ["--workers", str(WORKERS), "--threads", str(THREADS), application]
    server = subprocess.Popen(command, cwd=REPOSITORY, env=environment)
    try:
        _wait_until_it_answers(port, server)
        yield port
    finally:
        server.terminate()
        server.wait(START_LIMIT_S)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])


def _wait_until_it_answers(port: int, server: "subprocess.Popen[bytes]") -> None:
    deadline = time.monotonic() + START_LIMIT_S
    while time.monotonic() < deadline and server.poll() is None:
        with contextlib.suppress(OSError), socket.create_connection((HOST, port), timeout=1):
            return
        time.sleep(0.1)
    sys.exit("the server did not start")


def _processor_time_s() -> float:
    """Return the processor time of the child processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _show(title: str, rounds: list[LoadResult]) -> None:
    rates = [item.good_per_s for item in rounds]
    print(
        f"{title}: {CLIENTS} clients, gunicorn {WORKERS}x{THREADS}\n"
        f"  good/s {median(rates):.0f} ({min(rates):.0f}-{max(rates):.0f}); p50 "
        f"{median(item.latency_ms(0.5) for item in rounds):.0f} ms, p95 "
        f"{median(item.latency_ms(0.95) for item in rounds):.0f} ms, max "
        f"{max(item.latency_ms(1) for item in rounds):.0f} ms"
    )
    busy = os.getloadavg()[0]
    print(f"  load average of the machine at the end {busy:.1f} on {os.cpu_count()} processors")
    errors = [item.errors for item in rounds if item.errors]
    print(f"  errors: {errors or 'none'}")


if __name__ == "__main__":
    sys.exit(main())
