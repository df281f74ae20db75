"""`manage.py serve`: web, worker and sweeper together, for one machine."""

import contextlib
import errno
import os
import shutil
import signal
import socket
import sys
import tempfile
from argparse import ArgumentParser
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import CommandError

from annotation.backends.supervisor import STOP_LIMIT_S, Program, supervise
from annotation.management.command import CommandWithoutPages
from annotation.management.static_files import collect_if_changed

LOCALHOST = "127.0.0.1"
WORKER_PROCESSES = 2
OWNER_ONLY = 0o077  # a umask: what the parts write is for this account
BACKLOG = 2048


def listening_socket(host: str, port: int) -> socket.socket:
    """The socket of the site, open as long as this command runs.

    The web server inherits it, so the port stays taken while the web server restarts, and browsers
    that ask meanwhile wait for the answer.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=BACKLOG)
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise CommandError(
                f"port {port} of {host} is in use; choose another one with --port"
            ) from error
        raise CommandError(f"cannot listen on port {port} of {host}: {error.strerror}") from error


def redis_command(program: str, socket_path: Path) -> list[str]:
    """The command line of a redis-server that only this machine's user can reach."""
    reachable = ["--port", "0", "--unixsocket", str(socket_path), "--unixsocketperm", "700"]
    forgetful = ["--save", "", "--appendonly", "no", "--dir", str(socket_path.parent)]
    # In a file of its own: its start-up lines would bury the address that this command prints.
    quiet = ["--loglevel", "warning", "--logfile", str(socket_path.with_name("redis.log"))]
    return [program, *reachable, *forgetful, *quiet]


def worker_commands(*, has_redis: bool) -> dict[str, list[str]]:
    """The command lines of the queue's workers, by name.

    With Redis, one worker gives each of its processes a pipe of its own. On the files transport the
    processes would share one pipe behind one lock, and a process that is killed while it waits
    takes the lock with it; so there each process is a worker of its own.
    """
    celery = [sys.executable, "-m", "celery", "--quiet", "-A", "piev_site", "worker"]
    celery += ["--loglevel", "WARNING"]
    if has_redis:
        return {"worker": [*celery, "--concurrency", str(WORKER_PROCESSES)]}
    return {
        f"worker {number}": [*celery, "--pool", "solo", "--hostname", f"worker{number}@%h"]
        for number in range(1, WORKER_PROCESSES + 1)
    }


def sweeper_command() -> list[str]:
    return [sys.executable, "-m", "piev_site.command", "sweep_jobs", "--verbosity", "0"]


def web_command(listener: socket.socket) -> list[str]:
    """The command line of the web server, which inherits the socket."""
    gunicorn = [sys.executable, "-m", "gunicorn", "--config", "python:piev_site.web_server"]
    return [*gunicorn, "--bind", f"fd://{listener.fileno()}"]


def leave_like_ctrl_c() -> None:
    """Have SIGTERM and a closed terminal end this command as Ctrl+C does, with all its parts.

    Under nohup a closed terminal stays ignored.
    """
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, lambda *_: sys.exit(0))


class Command(CommandWithoutPages):
    help = (
        "Serve the site and work on its queue until interrupted. Uses Redis if REDIS_URL is set, "
        "else a private redis-server if this machine has one, else files in a folder."
    )

    # `manage.py demo` has more to say after the address.
    stealth_options = ("last_lines",)

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--host", default=LOCALHOST, help="address to listen on")
        parser.add_argument("--port", type=int, default=8000, help="port to listen on")

    def handle(
        self, *args: Any, host: str, port: int, last_lines: Sequence[str] = (), **options: Any
    ) -> None:
        os.umask(OWNER_ONLY)
        with listening_socket(host, port) as listener:
            call_command("migrate", verbosity=0, interactive=False)
            collect_if_changed()
            leave_like_ctrl_c()
            with tempfile.TemporaryDirectory(prefix="piev-redis-") as folder:
                parts = self.parts(Path(folder), listener)
                self.say(f"PIE-V answers at http://{host}:{port}/ (Ctrl+C stops)")
                for line in last_lines:
                    self.say(line)
                # The web server closes its own: from then on no browser waits here for nothing.
                supervise(parts, report=self.say, at_stop=listener.close)

    def parts(self, folder: Path, listener: socket.socket) -> list[Program]:
        """The programs to run, with a private Redis where one is needed and installed."""
        # The parts run in another folder, where a relative path would name another file.
        environment = {**os.environ, "DATABASE_URL": settings.DATABASE_URL}
        program = None if settings.REDIS_URL else shutil.which("redis-server")
        commands = {
            **worker_commands(has_redis=bool(program or settings.REDIS_URL)),
            "sweeper": sweeper_command(),
            "web": web_command(listener),
        }
        if program:
            socket_path = folder / "redis.sock"
            environment["REDIS_URL"] = f"redis+socket://{socket_path}"
            commands = {"queue": redis_command(program, socket_path), **commands}
        elif not settings.REDIS_URL:
            self.say("No redis-server on this machine: the queue uses files.")
        return [
            Program(
                name,
                command,
                folder=settings.BASE_DIR,
                environment=environment,
                open_files=[listener.fileno()] if name == "web" else [],
                # A worker that stops tells the queue what it has done, and what it leaves.
                is_needed_by_others=name == "queue",
                # It waits for answers that are under way, which would be paid for again.
                stop_limit_s=settings.WORKER_STOP_SECONDS
                if name.startswith("worker")
                else STOP_LIMIT_S,
            )
            for name, command in commands.items()
        ]

    def say(self, line: str) -> None:
        # A full disk or a closed terminal costs the line, not the site.
        with contextlib.suppress(OSError):
            self.stdout.write(line)
            self.stdout.flush()
