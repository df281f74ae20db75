"""Every command of docker-compose.yml as a process, with its health check, where no container runs.

Each gets the variables of its service and nothing else, but for addresses, ports and folders, which
are those of this machine. PostgreSQL and Redis are real.
"""

import subprocess
import sys
import time
from contextlib import ExitStack, contextmanager
from pathlib import Path

import httpx
import pytest
from django.conf import settings

from tests.proof.test_waiting_takes import postgresql
from tests.site.compose import resolved_compose
from tests.site.serving import free_port, wait_until

PATH = f"{Path(sys.executable).parent}:/usr/local/bin:/usr/bin:/bin"
OURS = ("web", "worker", "sweeper", "assessor")
SECONDS = {"s": 1, "m": 60}
# Of the image.
FOLDERS = ("/var/lib/piev", "/videos", "/backups", "/run/secrets")


class Machine:
    """What stands for the containers: folders, ports and addresses of this machine."""

    def __init__(self, folder, database):
        self.ports = {port: str(free_port()) for port in ("6379", "8000", "9009")}
        self.database = database
        self.folders = {name: folder / name.rpartition("/")[2] for name in FOLDERS}
        for path in self.folders.values():
            path.mkdir(mode=0o700)
        for name in ("secret_key", "postgres_password"):
            (self.folders["/run/secrets"] / name).write_text("only-for-tests\n")

    def here(self, text):
        for name, path in self.folders.items():
            text = text.replace(name, str(path))
        for inside, port in self.ports.items():
            text = text.replace(inside, port)
        return text.replace("redis:", "127.0.0.1:")

    def environment(self, service):
        named = {name: self.here(text or "") for name, text in service["environment"].items()}
        # The private PostgreSQL answers on a socket only.
        addresses = {"REDIS_URL": f"redis://127.0.0.1:{self.ports['6379']}/0"}
        addresses |= {"DATABASE_URL": self.database}
        own = {"PATH": PATH, "PYTHONPATH": str(settings.BASE_DIR)}
        own["PIEV_STATE"] = str(self.folders["/var/lib/piev"])
        return {**named, **addresses, **own}

    def is_healthy(self, service, environment):
        kind, *words = service["healthcheck"]["test"]
        assert kind == "CMD"
        done = subprocess.run(
            [self.here(word) for word in words],
            cwd=settings.BASE_DIR, env=environment, capture_output=True, check=False,
        )  # fmt: skip
        return done.returncode == 0

    @contextmanager
    def started(self, name, command, environment, stop_limit_s, log):
        """Run a command as its container would; at the end it gets as long to stop."""
        with log.open("w") as file:
            process = subprocess.Popen(
                command, cwd=settings.BASE_DIR, env=environment, stdout=file, stderr=file
            )
        try:
            yield process
            assert process.poll() is None, log.read_text()
        finally:
            process.terminate()
            began = time.monotonic()
            process.wait(stop_limit_s)
            print(f"{name} stopped in {time.monotonic() - began:.1f} s")  # noqa: T201


@pytest.mark.redis
def test_every_command_of_compose_runs_and_its_health_check_says_so(tmp_path):
    services = resolved_compose(
        tmp_path, profiles=["agents"], SECRET_KEY="a", POSTGRES_PASSWORD="b"
    )["services"]  # fmt: skip
    commands = {name for name, service in services.items() if "command" in service}
    assert commands == {"redis", "migrate", *OURS}
    with ExitStack() as parts:
        machine = Machine(tmp_path, parts.enter_context(postgresql()))
        redis = services["redis"]
        port = machine.ports["6379"]
        # Its own port may be taken here; in a container it is not named.
        parts.enter_context(
            machine.started(
                "redis", [*redis["command"], "--port", port], {"PATH": PATH}, 10, tmp_path / "redis"
            )
        )
        kind, program, *words = redis["healthcheck"]["test"]
        asked = {"healthcheck": {"test": [kind, program, "-p", port, *words]}}
        wait_until(lambda: machine.is_healthy(asked, {"PATH": PATH}))
        environment = machine.environment(services["migrate"])
        migrated = subprocess.run(
            services["migrate"]["command"], cwd=settings.BASE_DIR, env=environment,
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert migrated.returncode == 0, migrated.stderr
        for name in OURS:
            service = services[name]
            grace = service["stop_grace_period"]
            parts.enter_context(
                machine.started(
                    name,
                    [machine.here(word) for word in service["command"]],
                    machine.environment(service),
                    int(grace[:-1]) * SECONDS[grace[-1]],
                    tmp_path / f"{name}.log",
                )
            )
        for name in OURS:
            service = services[name]
            wait_until(lambda: machine.is_healthy(service, machine.environment(service)))  # noqa: B023
            print(f"{name} is healthy")  # noqa: T201
        login = httpx.get(f"http://127.0.0.1:{machine.ports['8000']}/login/", timeout=60)
        style = login.text.partition('rel="stylesheet" href="')[2].partition('"')[0]
        shown = httpx.get(f"http://127.0.0.1:{machine.ports['8000']}{style}", timeout=60)

    assert (login.status_code, shown.status_code) == (200, 200)
