"""docker-compose.yml as Compose would read it; no container engine runs here."""

import os
import subprocess
import sys

import yaml
from django.conf import settings

COMPOSE = settings.BASE_DIR / "docker-compose.yml"


def resolved_compose(folder, *, profiles=(), **variables):
    """The file resolved by podman-compose, in a folder that holds it beside such a `.env`."""
    # It asks for the version of an engine before it reads anything.
    engine = folder / "bin" / "podman"
    engine.parent.mkdir()
    engine.write_text("#!/bin/sh\necho podman version 5.0.0\n")
    engine.chmod(0o700)
    (folder / COMPOSE.name).write_text(COMPOSE.read_text())
    (folder / ".env").write_text("".join(f"{name}={text}\n" for name, text in variables.items()))
    command = [sys.executable, "-m", "podman_compose"]
    for profile in profiles:
        command += ["--profile", profile]
    path = f"{engine.parent}{os.pathsep}{os.environ['PATH']}"

    done = subprocess.run(
        [*command, "config"],
        cwd=folder,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    return yaml.safe_load(done.stdout)
