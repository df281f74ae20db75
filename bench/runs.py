"""Takes per second of a run through the real queue, beside bare planning of the same takes.

    python -m bench.runs [--takes 2000] [--rounds 3]

A fresh SQLite database, one Celery worker with two processes, and the queue on files and, where
the machine has redis-server, on a private Redis. A take counts when its plan, its job, its progress
and its audit entry are written. The peer plans and corrects the same takes in one process, without
queue and database. A run is timed from the first row of its launch to its last take. Processor time
is that of the worker with its processes; it tells what the takes cost where the machine was busy.
"""

import argparse
import json
import os
import secrets
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import median
from typing import Any

REPOSITORY = Path(__file__).resolve().parent.parent
WORKER_PROCESSES = 2
WANTED_PER_S = 150


def main() -> int:
    parser = argparse.ArgumentParser(description="Takes per second through the queue.")
    parser.add_argument("--takes", type=int, default=2000)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    redis = shutil.which("redis-server")
    slowest = min(
        _measured_queue(options, queue, program)
        for queue, program in {"files": None, "redis": redis}.items()
        if queue == "files" or program
    )
    if redis is None:
        print("   Redis left out: no redis-server here; on Debian: apt-get install redis-server")
    print(f"   goal: {WANTED_PER_S} takes/s, slowest queue: {slowest:.0f}")
    return 0 if slowest >= WANTED_PER_S else 1


def _measured_queue(options: argparse.Namespace, queue: str, redis: str | None) -> float:
    """Print the figures of one kind of queue and return its median takes per second."""
    with tempfile.TemporaryDirectory(prefix="piev-bench-") as name, ExitStack() as stack:
        environment = environment_of(Path(name))
        if redis:
            environment["REDIS_URL"] = stack.enter_context(private_redis(redis, Path(name)))
        site(environment, "prepare", options.takes)
        bare_per_s = [site(environment, "plan") for _ in range(options.rounds)]
        process = stack.enter_context(worker(environment))
        site(environment, "launch")  # not counted: the worker loads its libraries
        used_s = processor_seconds(process.pid)
        runs = [site(environment, "launch") for _ in range(options.rounds)]
        used_s = processor_seconds(process.pid) - used_s
    rates = [options.takes / (run["launch_s"] + run["work_s"]) for run in runs]
    worked = [options.takes / run["work_s"] for run in runs]
    for run in runs:
        counts = {run["done_count"], run["plan_count"], run["entry_count"]}
        if counts != {options.takes}:
            sys.exit(f"not every take was planned exactly once: {run}")
    _show(f"{queue}: {options.takes} takes, launch included", rates)
    _show(f"{queue}: {options.takes} takes, after launch", worked)
    _show("bare planning, one process, no rows", bare_per_s)
    per_take_ms = 1000 * used_s / (options.takes * options.rounds)
    print(f"   {queue}: {per_take_ms:.2f} ms of processor time per take, of {os.cpu_count()} cores")
    return median(rates)


def _show(what: str, rates: list[float]) -> None:
    low, high = min(rates), max(rates)
    print(f"   {what:<44} {median(rates):8.0f} takes/s  ({low:.0f} to {high:.0f}, n={len(rates)})")


def environment_of(folder: Path) -> dict[str, str]:
    """The environment of a site of its own in a fresh folder."""
    environment = {
        **os.environ,
        "PIEV_STATE": str(folder / "state"),
        "SECRET_KEY": secrets.token_urlsafe(32),
        "DEBUG": "0",
        "LOG_LEVEL": "WARNING",
        "DJANGO_SETTINGS_MODULE": "piev_site.settings",
    }
    for name in ("DATABASE_URL", "REDIS_URL"):
        environment.pop(name, None)
    return environment


def site(environment: dict[str, str], *arguments: object) -> Any:
    """What a command of `bench.runs_site` answers."""
    command = [sys.executable, "-m", "bench.runs_site", *map(str, arguments)]
    done = subprocess.run(
        command, cwd=REPOSITORY, env=environment, check=True, stdout=subprocess.PIPE, text=True
    )
    return json.loads(done.stdout)


def processor_seconds(process_id: int) -> float:
    """The processor time of a process and its children so far; 0 where there is no /proc."""
    stat = Path(f"/proc/{process_id}/stat")
    if not stat.exists():
        return 0.0
    fields = stat.read_text().rsplit(")", 1)[1].split()
    own = sum(map(int, fields[11:13])) / os.sysconf("SC_CLK_TCK")
    children = Path(f"/proc/{process_id}/task/{process_id}/children").read_text().split()
    return own + sum(processor_seconds(int(child)) for child in children)


@contextmanager
def worker(environment: dict[str, str]) -> Iterator[subprocess.Popen[bytes]]:
    command = [sys.executable, "-m", "celery", "-A", "piev_site", "worker"]
    options = ["--concurrency", str(WORKER_PROCESSES), "--loglevel", "WARNING"]
    with _running([*command, *options], environment) as process:
        yield process


@contextmanager
def private_redis(program: str, folder: Path) -> Iterator[str]:
    """Run a Redis of its own and yield its address."""
    socket_path = folder / "redis.sock"
    command = [program, "--port", "0", "--unixsocket", str(socket_path), "--save", ""]
    with _running([*command, "--dir", str(folder), "--loglevel", "warning"], dict(os.environ)):
        yield f"redis+socket://{socket_path}"


@contextmanager
def _running(command: list[str], environment: dict[str, str]) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(command, cwd=REPOSITORY, env=environment)
    try:
        yield process
    finally:
        process.terminate()
        process.wait(30)


if __name__ == "__main__":
    sys.exit(main())
