"""Keep a handful of parts running, and leave none of their processes behind.

A part that ends is started again, however often: at once if it ran well until then, else after a
pause that grows. Each part leads a process group of its own, so that what it leaves behind when it
is killed (the workers of a web server, the processes of a pool) is found and ended as well.
"""

import contextlib
import ctypes
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field
from pathlib import Path

STOP_LIMIT_S = 10.0
# What a killed part leaves behind; until it is gone the new one shares the machine with it.
LEFTOVERS_LIMIT_S = 5.0
WATCH_PAUSE_S = 0.2
# A part that ran for so long has started well: its next end counts as the first.
STEADY_S = 10.0
FIRST_PAUSE_S = 0.5
LONGEST_PAUSE_S = 30.0
# A killed program can start; the pause only keeps a machine short of memory from spinning.
LONGEST_PAUSE_AFTER_KILL_S = 1.0
DOUBLINGS = 10

LIBC = ctypes.CDLL(None) if sys.platform == "linux" else None
PR_SET_PDEATHSIG = 1

Report = Callable[[str], None]


def pause_before_restart_s(quick_ends: int, *, was_killed: bool) -> float:
    """How long to wait after so many ends in a row, each soon after the start."""
    if not quick_ends:
        return 0.0
    longest_s = LONGEST_PAUSE_AFTER_KILL_S if was_killed else LONGEST_PAUSE_S
    return min(FIRST_PAUSE_S * 2 ** min(quick_ends - 1, DOUBLINGS), longest_s)


@dataclass
class Program:
    """One program that should be running, with the files that it inherits open."""

    name: str
    command: Sequence[str]
    _: KW_ONLY
    folder: Path
    environment: Mapping[str, str]
    open_files: Sequence[int] = ()
    # Stopped once all others have ended.
    is_needed_by_others: bool = False
    # How long it may take to end before it is killed.
    stop_limit_s: float = STOP_LIMIT_S
    process: subprocess.Popen[bytes] | None = field(default=None, init=False)
    started_at: float = field(default=0.0, init=False)
    start_again_at: float = field(default=0.0, init=False)
    quick_ends: int = field(default=0, init=False)
    leftover_groups: dict[int, float] = field(default_factory=dict, init=False)

    def start(self, report: Report) -> None:
        """Start the program; where the machine cannot, say so and try again later."""
        self.started_at = time.monotonic()
        try:
            self.process = subprocess.Popen(
                self.command,
                cwd=self.folder,
                env=self.environment,
                pass_fds=self.open_files,
                process_group=0,
                preexec_fn=_end_with_parent,
            )
        except OSError as error:
            self.start_later(f"cannot be started: {error}", report, was_killed=False)

    def check(self, report: Report) -> None:
        """Start the program again if it ended; end what is left of the last one."""
        now = time.monotonic()
        self.end_leftovers(now)
        if self.process is None:
            if now >= self.start_again_at:
                self.start(report)
            return
        status = self.process.poll()
        if status is None:
            return
        self.leave_group(self.process.pid)
        self.process = None
        self.start_later(ending(status), report, was_killed=status < 0)

    def start_later(self, event: str, report: Report, *, was_killed: bool) -> None:
        now = time.monotonic()
        self.quick_ends = self.quick_ends + 1 if now - self.started_at < STEADY_S else 0
        pause_s = pause_before_restart_s(self.quick_ends, was_killed=was_killed)
        self.start_again_at = now + pause_s
        when = f"in {pause_s:g} s" if pause_s else "now"
        report(f"{self.name} {event}; starting it again {when}")

    def leave_group(self, group: int) -> None:
        """Ask what a dead process left behind to end, and note how long it may take."""
        if send_to_group(group, signal.SIGTERM):
            self.leftover_groups[group] = time.monotonic() + LEFTOVERS_LIMIT_S

    def end_leftovers(self, now: float) -> None:
        for group, deadline in list(self.leftover_groups.items()):
            if now >= deadline:
                send_to_group(group, signal.SIGKILL)
            if now >= deadline or not send_to_group(group, 0):
                del self.leftover_groups[group]

    def terminate(self) -> None:
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)

    def wait_or_kill(self, report: Report) -> None:
        """Let the program end; one that takes too long, or is not waited for, is killed."""
        groups = list(self.leftover_groups)
        if self.process is not None:
            groups.append(self.process.pid)
            soon_s = min(STOP_LIMIT_S, self.stop_limit_s)
            # Whoever stops this a second time does not want to wait.
            with contextlib.suppress(subprocess.TimeoutExpired, KeyboardInterrupt, SystemExit):
                try:
                    self.process.wait(soon_s)
                except subprocess.TimeoutExpired:
                    left_s = self.stop_limit_s - soon_s
                    if left_s > 0:
                        report(
                            f"{self.name} ends what it has under way, for {left_s:g} s at most"
                            " (Ctrl+C ends it at once)"
                        )
                    self.process.wait(left_s)
        for group in groups:
            send_to_group(group, signal.SIGKILL)
        if self.process is not None:
            self.process.wait()


def supervise(parts: Sequence[Program], *, report: Report, at_stop: Callable[[], None]) -> None:
    """Start the parts in order and restart what ends, until Ctrl+C or SIGTERM.

    Whatever way this is left, the parts are stopped, the last started first, and what others need
    after them.
    """
    try:
        for part in parts:
            part.start(report)
        while True:
            time.sleep(WATCH_PAUSE_S)
            for part in parts:
                part.check(report)
    except KeyboardInterrupt:
        return
    finally:
        at_stop()
        for is_needed in (False, True):
            stopped = [part for part in reversed(parts) if part.is_needed_by_others is is_needed]
            for part in stopped:
                part.terminate()
            for part in stopped:
                part.wait_or_kill(report)


def ending(status: int) -> str:
    if status < 0:
        return f"was ended by {signal.Signals(-status).name}"
    return f"ended by itself with status {status} (its last lines above say why)"


def send_to_group(group: int, signal_number: int) -> bool:
    """Send a signal to a process group; False if nobody is left in it."""
    try:
        os.killpg(group, signal_number)
    except (ProcessLookupError, PermissionError):
        return False
    return True


def _end_with_parent() -> None:
    """Have the kernel end this process with its parent, which may be killed itself (Linux)."""
    if LIBC is not None:
        LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
