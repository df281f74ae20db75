"""`manage.py serve`: web, worker and sweeper together, for one machine."""

import os
import shutil
import signal
import socket
import sys
import tempfile
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError

from annotation.backends.supervisor import Child, GivenUpError, supervise

PORTS_TRIED = 20
WORKER_PROCESSES = 2
WEB_PROCESSES = 2
WEB_THREADS = 4


def free_port(host: str, wanted: int) -> int:
    """Return the first free port at or after `wanted`."""
    for port in range(wanted, wanted + PORTS_TRIED):
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((host, port))
            except OSError:
                continue
            return port
    last = wanted + PORTS_TRIED - 1
    raise CommandError(f"ports {wanted} to {last} of {host} are taken; choose with --port")


def redis_command(program: str, socket_path: Path) -> list[str]:
    """Return the command line of a redis-server that only this machine's user can reach."""
    reachable = ["--port", "0", "--unixsocket", str(socket_path), "--unixsocketperm", "700"]
    forgetful = ["--save", "", "--appendonly", "no", "--dir", str(socket_path.parent)]
    # In a file of its own: its start-up lines would bury the address that this command prints.
    quiet = ["--loglevel", "warning", "--logfile", str(socket_path.with_name("redis.log"))]
    return [program, *reachable, *forgetful, *quiet]


def worker_commands(*, has_redis: bool) -> dict[str, list[str]]:
    """Return the command lines of the queue's workers, by name.

    With Redis, one worker gives each of its processes a pipe of its own. On the files transport the
    processes would share one pipe behind one lock, and a process that is killed while it waits
    takes the lock with it; so there each process is a worker of its own.
    """
    celery = [
        sys.executable,
        "-m",
        "celery",
        "--quiet",
        "-A",
        "piev_site",
        "worker",
        "--loglevel",
        "WARNING",
    ]
    if has_redis:
        return {"worker": [*celery, "--concurrency", str(WORKER_PROCESSES)]}
    return {
        f"worker {number}": [*celery, "--pool", "solo", "--hostname", f"worker{number}@%h"]
        for number in range(1, WORKER_PROCESSES + 1)
    }


def sweeper_command() -> list[str]:
    """Return the command line of the process that finds lost jobs."""
    return [sys.executable, "-m", "piev_site.command", "sweep_jobs"]


def web_command(host: str, port: int) -> list[str]:
    """Return the command line of the web server."""
    gunicorn = [sys.executable, "-m", "gunicorn", "piev_site.wsgi", "--bind", f"{host}:{port}"]
    threads = ["--worker-class", "gthread", "--threads", str(WEB_THREADS)]
    return [*gunicorn, *threads, "--workers", str(WEB_PROCESSES), "--log-level", "warning"]


class Command(BaseCommand):
    help = (
        "Serve the site and work on its queue until interrupted. Uses Redis if REDIS_URL is set, "
        "else a private redis-server if this machine has one, else files in a folder."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--host", default="127.0.0.1", help="address to listen on")
        parser.add_argument("--port", type=int, default=8000, help="first port to try")

    def handle(self, *args: Any, host: str, port: int, **options: Any) -> None:
        call_command("migrate", verbosity=0, interactive=False)
        call_command("collectstatic", verbosity=0, interactive=False)
        open_port = free_port(host, port)
        # SIGTERM leaves through the same door as Ctrl+C, so that no child outlives this command.
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
        with tempfile.TemporaryDirectory(prefix="piev-redis-") as folder:
            children = self.children(Path(folder), host, open_port)
            self.say(f"PIE-V answers at http://{host}:{open_port}/ (Ctrl+C stops)")
            try:
                supervise(children, say=self.say)
            except GivenUpError as error:
                raise CommandError(str(error)) from error

    def children(self, folder: Path, host: str, port: int) -> list[Child]:
        """Return what has to run, with a private Redis where one is needed and can be had."""
        environment = dict(os.environ)
        program = None if settings.REDIS_URL else shutil.which("redis-server")
        commands = {
            **worker_commands(has_redis=bool(program or settings.REDIS_URL)),
            "sweeper": sweeper_command(),
            "web": web_command(host, port),
        }
        if program:
            socket_path = folder / "redis.sock"
            environment["REDIS_URL"] = f"redis+socket://{socket_path}"
            commands = {"queue": redis_command(program, socket_path), **commands}
        elif not settings.REDIS_URL:
            self.say("No redis-server here: the queue uses files.")
        return [
            Child(name, command, folder=settings.BASE_DIR, environment=environment)
            for name, command in commands.items()
        ]

    def say(self, line: str) -> None:
        self.stdout.write(line)
        self.stdout.flush()
