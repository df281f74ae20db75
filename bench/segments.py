"""Gestures on segments under 50 people, and opening an hour of 2,000, beside a bare floor.

    python -m bench.segments [--database sqlite|postgresql] [--seconds 8] [--rounds 3]

The server and its floor as in `bench.saves`: gunicorn with 2 workers x 4 threads, 50 logged-in
people with a segmentation each, who move a shared edge of two segments again and again: a gesture
is two segments, two rows of the log, the head and an entry of the audit log in one transaction.
First one every 2 s each, then each as soon as the last is answered. The floor runs the same SQL on
SQLite without any framework. An hour with 2,000 segments is opened through the same server.
"""

import argparse
import contextlib
import http.client
import itertools
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from statistics import median

from bench.load import HOST, LoadResult, post_request, run_load
from bench.saving import (
    REPOSITORY,
    THREADS,
    WORKERS,
    ask_site,
    gesture_client,
    processor_time_s,
    served,
    site_environment,
)

SITE = "bench.segments_site"
CLIENTS = 50
EVERY_S = 2.0
WANTED_PACED_MS = 50
WANTED_PER_S = 300
WANTED_PAGE_MS = 150
WANTED_QUERIES = 12
PAGES = 20
# The first gesture is that of the proposals.
BARE_NUMBERS = itertools.count(2)


def main() -> int:
    parser = argparse.ArgumentParser(description="Gestures under 50 people; opening an hour.")
    parser.add_argument("--database", choices=("sqlite", "postgresql"), default="sqlite")
    parser.add_argument("--seconds", type=float, default=8.0)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    if options.database == "postgresql" and not os.environ.get("DATABASE_URL"):
        script = REPOSITORY / "scripts" / "with_postgresql.py"
        command = [sys.executable, str(script), sys.executable, "-m", "bench.segments"]
        return subprocess.run([*command, *sys.argv[1:]], cwd=REPOSITORY, check=False).returncode
    with tempfile.TemporaryDirectory(prefix="piev-bench-") as name:
        return 0 if _measure(Path(name), options) else 1


def _measure(folder: Path, options: argparse.Namespace) -> bool:
    environment = site_environment(folder / "site", options.database)
    prepared = ask_site(environment, "prepare", str(CLIENTS), site=SITE)
    people = [gesture_client(item["path"], item["headers"]) for item in prepared["people"]]
    floors = [nullcontext(), nullcontext()]
    if options.database == "sqlite":
        commands = ("record", "record-page")
        floors = [_floor(folder / "site", folder / command, command) for command in commands]
    rounds, bare_rounds = [], []
    with floors[0] as floor_port, floors[1] as page_floor_port:
        processor_s = 0.0
        with served("piev_site.wsgi:application", environment) as port:
            bare = [lambda: post_request("/", "", str(next(BARE_NUMBERS)).encode())] * CLIENTS
            # The first round loads libraries and is not counted.
            for _ in range(options.rounds + 1):
                before_s = processor_time_s()
                rounds.append(run_load(port, people, options.seconds))
                processor_s += processor_time_s() - before_s
                if floor_port:
                    bare_rounds.append(run_load(floor_port, bare, options.seconds))
            paced = run_load(port, people, 2 * options.seconds, every_s=EVERY_S)
            page_ms = _page_ms(port, prepared["hour"])
        page_floor_ms = _floor_page_ms(page_floor_port) if page_floor_port else None
    counted = ask_site(environment, "count", site=SITE)
    good = sum(len(item.latencies_s) for item in [*rounds, paced])
    is_good = [
        _told_paced(paced),
        _told_loop(rounds[1:], bare_rounds[1:], options.database),
        _told_page(page_ms, page_floor_ms, len(ask_site(environment, "record-page", site=SITE))),
    ]
    # Unlike the rate, this hardly depends on what else the machine does.
    per_gesture_ms = 1000 * processor_s / sum(len(item.latencies_s) for item in rounds)
    print(f"{per_gesture_ms:.2f} ms of the server's processor time per gesture")
    print(f"answered good {good}, in the log {counted['gestures']} of {counted['rows']} segments")
    is_kept = (counted["gestures"], counted["rows"]) == (good, 2 * good)
    return is_kept and all(is_good)


@contextlib.contextmanager
def _floor(site: Path, folder: Path, command: str) -> Iterator[int]:
    """Serve the statements of one piece of work on a copy of the site's database."""
    environment = site_environment(folder, "sqlite")
    shutil.copytree(site, folder, dirs_exist_ok=True)
    statements = folder / "statements.json"
    statements.write_text(json.dumps(ask_site(environment, command, site=SITE)))
    environment["BENCH_STATEMENTS"] = str(statements)
    environment["BENCH_DATABASE"] = str(folder / "piev.sqlite3")
    with served("bench.floor_app:application", environment) as port:
        yield port


def _page_ms(port: int, hour: dict[str, str]) -> list[float]:
    headers = dict(line.split(": ", 1) for line in hour["headers"].splitlines())
    connection = http.client.HTTPConnection(HOST, port, timeout=60)
    return [_timed_ms(connection, "GET", hour["path"], None, headers) for _ in range(PAGES + 1)][1:]


def _floor_page_ms(port: int) -> list[float]:
    connection = http.client.HTTPConnection(HOST, port, timeout=60)
    return [_timed_ms(connection, "POST", "/", "1", {}) for _ in range(PAGES + 1)][1:]


def _timed_ms(
    connection: http.client.HTTPConnection,
    method: str,
    path: str,
    body: str | None,
    headers: dict[str, str],
) -> float:
    started = time.perf_counter()
    connection.request(method, path, body, headers)
    answer = connection.getresponse()
    answer.read()
    if answer.status != http.HTTPStatus.OK:
        sys.exit(f"{path} answered {answer.status}")
    return 1000 * (time.perf_counter() - started)


def _told_paced(paced: LoadResult) -> bool:
    p95_ms = paced.latency_ms(0.95)
    print(
        f"{CLIENTS} people, a gesture every {EVERY_S:g} s each: p50 {paced.latency_ms(0.5):.0f} ms,"
        f" p95 {p95_ms:.0f} ms, max {paced.latency_ms(1):.0f} ms; wanted p95 under"
        f" {WANTED_PACED_MS} ms; errors: {paced.errors or 'none'}"
    )
    return not paced.errors and p95_ms < WANTED_PACED_MS


def _told_loop(rounds: list[LoadResult], bare_rounds: list[LoadResult], database: str) -> bool:
    rate = median(item.good_per_s for item in rounds)
    errors = [item.errors for item in rounds if item.errors]
    print(
        f"{CLIENTS} people without a pause, {database}, gunicorn {WORKERS}x{THREADS}: {rate:.0f}/s"
        f" ({min(item.good_per_s for item in rounds):.0f}-"
        f"{max(item.good_per_s for item in rounds):.0f}), p95"
        f" {median(item.latency_ms(0.95) for item in rounds):.0f} ms; wanted {WANTED_PER_S}/s;"
        f" errors: {errors or 'none'}"
    )
    if bare_rounds:
        bare_rate = median(item.good_per_s for item in bare_rounds)
        print(
            f"  bare floor, the same SQL without a framework: {bare_rate:.0f}/s, it saves"
            f" {bare_rate / rate:.2f} times as often"
        )
    busy = os.getloadavg()[0]
    print(f"  load average of the machine {busy:.1f} on {os.cpu_count()} processors")
    return not errors and rate >= WANTED_PER_S


def _told_page(page_ms: list[float], floor_ms: list[float] | None, queries: int) -> bool:
    middle_ms = median(page_ms)
    print(
        f"opening an hour of 2,000 segments: {middle_ms:.0f} ms"
        f" ({min(page_ms):.0f}-{max(page_ms):.0f}), {queries} queries; wanted under"
        f" {WANTED_PAGE_MS} ms and at most {WANTED_QUERIES}"
    )
    if floor_ms:
        print(
            f"  bare floor, the same SQL without a framework: {median(floor_ms):.0f} ms, the"
            f" page takes {middle_ms / median(floor_ms):.1f} times as long"
        )
    return middle_ms < WANTED_PAGE_MS and queries <= WANTED_QUERIES


if __name__ == "__main__":
    sys.exit(main())
