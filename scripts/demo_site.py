"""A demo site that is made for whoever wants to look at it, and thrown away."""

import os
import re
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent
PASSWORD = "piev-demo"  # noqa: S105  (of the demo accounts; `manage.py demo` prints it)
# A port that nobody serves on by habit, so that a site under work can go on beside this one.
PORT = 8600
START_TIMEOUT_S = 60
STOP_TIMEOUT_S = 30


@contextmanager
def demo_site(state_folder: Path) -> Iterator[str]:
    """Fill a site in the folder, serve it, and stop every process of it at the end."""
    environment = os.environ | {"PIEV_STATE": str(state_folder)}
    environment.pop("DATABASE_URL", None)
    subprocess.run(_manage("demo"), env=environment, cwd=REPOSITORY, check=True)
    server = subprocess.Popen(
        _manage("serve", "--port", str(PORT)),
        env=environment,
        cwd=REPOSITORY,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    )
    try:
        yield _address_of(server)
    finally:
        server.send_signal(signal.SIGTERM)
        server.wait(STOP_TIMEOUT_S)


def _manage(*words: str) -> list[str]:
    return [sys.executable, str(REPOSITORY / "manage.py"), *words]


def _address_of(server: "subprocess.Popen[str]") -> str:
    """Return the address that the server says, once the site answers there."""
    assert server.stdout is not None  # noqa: S101  (a pipe was asked for)
    found = next(filter(None, (re.search(r"http://[\d.:]+", line) for line in server.stdout)), None)
    if found is None:
        raise SystemExit("the site did not start")
    deadline = time.monotonic() + START_TIMEOUT_S
    while time.monotonic() < deadline:
        try:
            with urllib.request.urlopen(f"{found.group()}/login/"):  # noqa: S310  (our own http)
                return found.group()
        except urllib.error.URLError:
            time.sleep(0.1)  # the port opens without an event to wait for
    raise SystemExit("the site did not answer")
