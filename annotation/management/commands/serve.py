"""`manage.py serve`: web and worker together, for one machine."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from argparse import ArgumentParser
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError

START_LIMIT_S = 20
STOP_LIMIT_S = 10
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
    raise CommandError(
        f"ports {wanted} to {wanted + PORTS_TRIED - 1} of {host} are taken; choose with --port"
    )


def start_private_redis(folder: Path) -> tuple[subprocess.Popen[bytes], str] | None:
    """Start a redis-server that only this machine's user can reach; None without the program."""
    program = shutil.which("redis-server")
    if program is None:
        return None
    path = folder / "redis.sock"
    reachable = ["--port", "0", "--unixsocket", str(path), "--unixsocketperm", "700"]
    forgetful = ["--save", "", "--appendonly", "no", "--dir", str(folder)]
    server = subprocess.Popen([program, *reachable, *forgetful, "--loglevel", "warning"])
    deadline = time.monotonic() + START_LIMIT_S
    while not path.exists():
        if server.poll() is not None or time.monotonic() > deadline:
            server.kill()
            return None
        time.sleep(0.05)
    return server, f"redis+socket://{path}"


def stop(process: "subprocess.Popen[bytes]") -> None:
    """Ask a process to end, then insist."""
    if process.poll() is None:
        process.send_signal(signal.SIGTERM)
    try:
        process.wait(STOP_LIMIT_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


class Command(BaseCommand):
    help = (
        "Serve the site and work on its queue until interrupted. Uses Redis if REDIS_URL is set, "
        "else a private redis-server if this machine has one, else files in a folder."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--host", default="127.0.0.1", help="address to listen on")
        parser.add_argument("--port", type=int, default=8000, help="first port to try")

    def handle(self, *args: Any, **options: Any) -> None:
        call_command("migrate", verbosity=0, interactive=False)
        call_command("collectstatic", verbosity=0, interactive=False)
        port = free_port(options["host"], options["port"])
        # SIGTERM leaves through the same door as Ctrl+C, so that no child outlives this command.
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
        with ExitStack() as cleanup:
            environment = self.queue_environment(cleanup)
            children = [
                self.start(cleanup, command, environment)
                for command in (worker_command(), web_command(options["host"], port))
            ]
            self.stdout.write(f"PIE-V answers at http://{options['host']}:{port}/ (Ctrl+C stops)")
            self.stdout.flush()
            self.wait(children)

    def queue_environment(self, cleanup: ExitStack) -> dict[str, str]:
        """Return the children's environment, with a private Redis where one can be had."""
        environment = dict(os.environ)
        if settings.REDIS_URL:
            return environment
        folder = Path(cleanup.enter_context(tempfile.TemporaryDirectory(prefix="piev-redis-")))
        private = start_private_redis(folder)
        if private is None:
            self.stdout.write("No redis-server here: the queue uses files.")
            return environment
        server, address = private
        cleanup.callback(stop, server)
        return {**environment, "REDIS_URL": address}

    def start(
        self, cleanup: ExitStack, command: list[str], environment: dict[str, str]
    ) -> "subprocess.Popen[bytes]":
        process = subprocess.Popen(command, env=environment, cwd=settings.BASE_DIR)
        cleanup.callback(stop, process)
        return process

    def wait(self, children: list["subprocess.Popen[bytes]"]) -> None:
        """Wait until Ctrl+C, or until a child ends, which takes the others with it."""
        try:
            while all(child.poll() is None for child in children):
                time.sleep(0.5)
        except KeyboardInterrupt:
            return
        raise CommandError("web or worker ended by itself; its last lines above say why")


def worker_command() -> list[str]:
    """Return the command line of the queue's worker."""
    celery = [sys.executable, "-m", "celery", "-A", "piev_site", "worker"]
    return [*celery, "--concurrency", str(WORKER_PROCESSES), "--loglevel", "WARNING"]


def web_command(host: str, port: int) -> list[str]:
    """Return the command line of the web server."""
    gunicorn = [sys.executable, "-m", "gunicorn", "piev_site.wsgi", "--bind", f"{host}:{port}"]
    threads = ["--worker-class", "gthread", "--threads", str(WEB_THREADS)]
    return [*gunicorn, *threads, "--workers", str(WEB_PROCESSES), "--log-level", "warning"]
