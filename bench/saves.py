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
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from statistics import median

from bench.load import LoadResult, post_request, run_load
from bench.saving import (
    REPOSITORY,
    THREADS,
    WORKERS,
    ask_site,
    processor_time_s,
    rating_client,
    served,
    site_environment,
)

CLIENTS = 50
# Of the floor's rate to the site's, on SQLite.
WANTED_RATIO = 3.0
# On PostgreSQL, which has no floor here.
WANTED_PER_S = 350
BARE_NUMBERS = itertools.count(1)


def main() -> int:
    parser = argparse.ArgumentParser(description="Saves per second under 50 clients.")
    parser.add_argument("--database", choices=("sqlite", "postgresql"), default="sqlite")
    parser.add_argument("--seconds", type=float, default=8.0)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    if options.database == "postgresql" and not os.environ.get("DATABASE_URL"):
        script = REPOSITORY / "scripts" / "with_postgresql.py"
        command = [sys.executable, str(script), sys.executable, "-m", "bench.saves", *sys.argv[1:]]
        return subprocess.run(command, cwd=REPOSITORY, check=False).returncode
    with tempfile.TemporaryDirectory(prefix="piev-bench-") as name:
        is_good = _measure(Path(name), options)
    return 0 if is_good else 1


def _measure(folder: Path, options: argparse.Namespace) -> bool:
    environment = site_environment(folder / "site", options.database)
    raters = [rating_client(**rater) for rater in ask_site(environment, "prepare", str(CLIENTS))]
    floor = _floor(folder / "floor") if options.database == "sqlite" else nullcontext()
    rounds: list[LoadResult] = []
    bare_rounds: list[LoadResult] = []
    with floor as floor_port:
        processor_s = 0.0
        with served("piev_site.wsgi:application", environment) as port:
            # The first round loads libraries and is not counted.
            for _ in range(options.rounds + 1):
                before_s = processor_time_s()
                rounds.append(run_load(port, raters, options.seconds))
                processor_s += processor_time_s() - before_s
                if floor_port:
                    client = [lambda: post_request("/", "", str(next(BARE_NUMBERS)).encode())]
                    bare_rounds.append(run_load(floor_port, client * CLIENTS, options.seconds))
    good_count = sum(len(item.latencies_s) for item in rounds)
    rounds, bare_rounds = rounds[1:], bare_rounds[1:]
    _show(f"POST changes, {options.database}", rounds)
    logged_count = ask_site(environment, "count")
    print(f"  answered good {good_count}, in the log {logged_count}")
    # Unlike the rate, this hardly depends on what else the machine does.
    print(f"  {1000 * processor_s / good_count:.2f} ms of the server's processor time per save")
    if good_count != logged_count or any(item.errors for item in rounds):
        return False
    if not bare_rounds:
        print(f"wanted {WANTED_PER_S}/s")
        return median(item.good_per_s for item in rounds) >= WANTED_PER_S
    _show("bare floor: the same SQL without a framework, sqlite", bare_rounds)
    ratio = median(
        bare.good_per_s / ours.good_per_s for ours, bare in zip(rounds, bare_rounds, strict=True)
    )
    print(f"the floor saves {ratio:.2f} times as often; wanted at most {WANTED_RATIO:g}")
    return ratio <= WANTED_RATIO


@contextlib.contextmanager
def _floor(folder: Path) -> Iterator[int]:
    """Serve the statements of one save on a database of their own."""
    environment = site_environment(folder, "sqlite")
    ask_site(environment, "prepare", "1")
    statements = folder / "statements.json"
    statements.write_text(json.dumps(ask_site(environment, "record")))
    environment["BENCH_STATEMENTS"] = str(statements)
    environment["BENCH_DATABASE"] = str(folder / "piev.sqlite3")
    with served("bench.floor_app:application", environment) as port:
        yield port


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
