"""100 raters who save every 2 s over connections that stay open: how many saves are cut off?

A fresh SQLite database under `manage.py serve`, every part of it running. A server that closes a
connection while the next save is on its way cuts that save off (the page sends it again). Beside
it stands gunicorn with its own keep-alive of 2 s, for a quarter of the time.

    python -m bench.pausing_raters [--seconds 120] [--raters 100]
"""

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bench.load import LoadResult, run_load
from bench.saving import (
    REPOSITORY,
    START_LIMIT_S,
    ask_site,
    free_port,
    rating_client,
    served,
    site_environment,
    wait_until_it_answers,
)

EVERY_S = 2.0
WANTED_P95_S = 0.5
PEER_SHARE = 4
# Both web processes have loaded everything by then.
WARMING_S = 5.0


def main() -> int:
    parser = argparse.ArgumentParser(description="Saves of raters who pause.")
    parser.add_argument("--seconds", type=float, default=120.0)
    parser.add_argument("--raters", type=int, default=100)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="piev-bench-") as name:
        environment = site_environment(Path(name, "site"), "sqlite")
        environment.pop("REDIS_URL", None)
        raters = ask_site(environment, "prepare", str(options.raters))
        clients = [rating_client(**rater) for rater in raters]
        with _whole_site(environment) as port:
            warming = run_load(port, clients, WARMING_S, every_s=EVERY_S)
            ours = run_load(port, clients, options.seconds, every_s=EVERY_S)
        with served("piev_site.wsgi:application", environment, "--keep-alive", "2") as port:
            peer = run_load(port, clients, options.seconds / PEER_SHARE, every_s=EVERY_S)
        logged_count = ask_site(environment, "count")
    answered_count = sum(len(item.latencies_s) for item in (warming, ours, peer))
    _show(f"{options.raters} raters, one save every {EVERY_S:g} s, under serve", ours)
    _show("the same with gunicorn's own keep-alive of 2 s", peer)
    print(
        f"answered {answered_count}, in the log {logged_count}; wanted: nothing cut off, "
        f"p95 under {WANTED_P95_S:g} s"
    )
    print(f"load average of the machine {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")
    is_met = not ours.errors and ours.latency_ms(0.95) < 1000 * WANTED_P95_S
    return 0 if is_met and logged_count >= answered_count else 1


@contextmanager
def _whole_site(environment: dict[str, str]) -> Iterator[int]:
    port = free_port()
    command = [sys.executable, "manage.py", "serve", "--port", str(port)]
    server = subprocess.Popen(command, cwd=REPOSITORY, env=environment)
    try:
        wait_until_it_answers(port, server)
        yield port
    finally:
        server.terminate()
        server.wait(START_LIMIT_S)


def _show(title: str, result: LoadResult) -> None:
    latencies = ", ".join(
        f"{name} {result.latency_ms(quantile):.0f} ms"
        for name, quantile in (("p50", 0.5), ("p95", 0.95), ("p99", 0.99), ("max", 1.0))
    )
    saves = len(result.latencies_s)
    cut_off = sum(result.errors.values())
    share = 100 * cut_off / (saves + cut_off)
    print(f"{title}\n  {saves} saves in {result.duration_s:.0f} s; {latencies}")
    print(f"  cut off {cut_off} ({share:.2f}%) {result.errors or ''}")


if __name__ == "__main__":
    sys.exit(main())
