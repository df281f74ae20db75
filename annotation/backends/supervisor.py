"""Keep a handful of child processes running, and leave none behind."""

import signal
import subprocess
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

STOP_LIMIT_S = 10.0
WATCH_PAUSE_S = 0.5
RESTARTS_ALLOWED = 5
RESTART_WINDOW_S = 60.0


class GivenUpError(Exception):
    """A child ended again and again; starting it once more would not help."""


class Child:
    """One program that should be running."""

    def __init__(
        self, name: str, command: Sequence[str], *, folder: Path, environment: Mapping[str, str]
    ) -> None:
        self.name = name
        self.command = list(command)
        self.folder = folder
        self.environment = dict(environment)
        self.starts: deque[float] = deque(maxlen=RESTARTS_ALLOWED)
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start the program; GivenUpError when it was started too often lately."""
        now = time.monotonic()
        if len(self.starts) == RESTARTS_ALLOWED and now - self.starts[0] < RESTART_WINDOW_S:
            raise GivenUpError(f"{self.name} ends by itself; its last lines above say why")
        self.starts.append(now)
        self.process = subprocess.Popen(self.command, cwd=self.folder, env=self.environment)

    @property
    def is_running(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def ask_to_stop(self) -> None:
        if self.process is not None and self.is_running:
            self.process.send_signal(signal.SIGTERM)

    def wait_or_kill(self) -> None:
        if self.process is None:
            return
        try:
            self.process.wait(STOP_LIMIT_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def supervise(children: Sequence[Child], *, say: Callable[[str], None]) -> None:
    """Start the children in order and restart what ends, until Ctrl+C or SIGTERM.

    Whatever way this is left, the children are stopped, the last started first.
    """
    try:
        for child in children:
            child.start()
        while True:
            time.sleep(WATCH_PAUSE_S)
            for child in children:
                if not child.is_running:
                    say(f"{child.name} ended; starting it again")
                    child.start()
    except KeyboardInterrupt:
        return
    finally:
        for child in reversed(children):
            child.ask_to_stop()
        for child in reversed(children):
            child.wait_or_kill()
