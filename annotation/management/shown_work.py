"""How a long command shows its progress on a terminal and stops cleanly on Ctrl+C and SIGTERM.

Where something is written, a signal only sets a flag, which everything that waits or counts checks:
what was begun is ended or taken back. A second Ctrl+C ends at once.
"""

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from types import FrameType

from django.core.management.base import CommandError, OutputWrapper

SIGNALS = {signal.SIGINT: "Ctrl+C", signal.SIGTERM: "SIGTERM"}
# Shells report a program that a signal ended as 128 plus the signal.
SIGNAL_STATUS = 128
# Some programs pass one Ctrl+C on twice; the second does not mean that somebody is impatient.
AGAIN_AFTER_S = 1.0
SHOW_EVERY_S = 0.5
CLEAR_LINE = "\r\x1b[K"
MINUTE_S = 60


class WorkStoppedError(Exception):
    """A signal came, and the command is to end without doing the rest."""


class ShownWork:
    """The progress of one command: how much is done, how long the rest takes, whether to stop.

    Until `begin` says how much there is to do, nothing is written yet: `preparing` says what goes
    on, and a signal ends it at once.
    """

    stopped: type[Exception] = WorkStoppedError

    def __init__(self, things: str, stderr: OutputWrapper, *, preparing: str = "") -> None:
        self.total_count = 0
        self.done_count = 0
        self.earlier_count = 0
        self.signal: int | None = None
        self._things, self._stderr, self._preparing = things, stderr, preparing
        self._began_s = time.monotonic()
        self._ending_since_s = 0.0
        self._lock = threading.Lock()

    def check(self) -> None:
        """Raise `stopped` if the command has to stop."""
        if self.signal is not None:
            raise self.stopped(f"stopped by {SIGNALS[signal.Signals(self.signal)]}")

    def begin(self, total_count: int, *, earlier_count: int = 0) -> None:
        """Set how much there is to do, and how much of it an earlier command has done."""
        self.total_count, self.earlier_count = total_count, earlier_count
        self._preparing, self._began_s = "", time.monotonic()

    def count_done(self, count: int = 1) -> None:
        with self._lock:
            self.done_count += count

    def watch(self, done_count: int, total_count: int) -> None:
        """Take what a service tells of its progress; raises `stopped` as `check` does."""
        if self._preparing:
            self.begin(total_count)
        self.check()
        self.total_count = total_count
        self.count_done(done_count - self.done_count)

    def stopped_error(self, error: Exception) -> CommandError:
        finished = self.earlier_count + self.done_count
        return self.ended_error(
            f"{error}. {finished} of {self.total_count} {self._things} are finished; run"
            " the same command again to continue."
        )

    def ended_error(self, message: str) -> CommandError:
        """What a command that a signal ended raises, with the status that shells expect."""
        return CommandError(message, returncode=SIGNAL_STATUS + (self.signal or signal.SIGINT))

    @contextmanager
    def shown(self) -> Iterator[None]:
        """Show the progress of this block, if on a terminal, and catch signals in it."""
        is_over = threading.Event()
        shower = threading.Thread(target=self._show, args=(is_over,), daemon=True)
        with self._caught_signals():
            if self._stderr.isatty():
                shower.start()
            try:
                yield
            finally:
                is_over.set()
                if shower.is_alive():
                    shower.join()
                    self._write("")

    @contextmanager
    def _caught_signals(self) -> Iterator[None]:
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {number: signal.signal(number, self._take_signal) for number in SIGNALS}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def _take_signal(self, number: int, frame: FrameType | None) -> None:
        if self.signal is None:
            self.signal, self._ending_since_s = number, time.monotonic()
            if self._preparing:
                self.check()
        elif number == signal.SIGINT and time.monotonic() - self._ending_since_s >= AGAIN_AFTER_S:
            raise KeyboardInterrupt

    def _show(self, is_over: threading.Event) -> None:
        while not is_over.wait(SHOW_EVERY_S):
            self._write(self.line(time.monotonic() - self._began_s))

    def line(self, elapsed_s: float) -> str:
        """The progress after so long: count, rate and time left, and what `_details` adds."""
        if self._preparing:
            return f"{self._preparing}, {_duration(elapsed_s)} so far"
        finished = self.earlier_count + self.done_count
        # Training, for one, counts nothing.
        counted = f"{finished:,} of {self.total_count:,} {self._things}"
        parts = [counted if self.total_count else "At work"]
        if self.done_count:
            left_s = (self.total_count - finished) * elapsed_s / self.done_count
            parts.append(f"{self.done_count * MINUTE_S / max(elapsed_s, 0.001):.3g} a minute")
            parts.append(f"{_duration(left_s)} left")
        else:
            parts.append(f"{_duration(elapsed_s)} so far")
        parts += self._details()
        if self.signal is not None:
            parts.append("ending")
        return ", ".join(parts)

    def _details(self) -> list[str]:
        return []

    def _write(self, text: str) -> None:
        if self._stderr.isatty():
            text = CLEAR_LINE + text
        with self._lock:
            self._stderr.write(text, style_func=str, ending="")
            self._stderr.flush()


@contextmanager
def shown_while(
    preparing: str, stderr: OutputWrapper, *, things: str = "", left: str = "nothing was written"
) -> Iterator[ShownWork]:
    """Show on a terminal what goes on; a signal ends the command, which says what is `left`.

    `things` are counted from the first time that a service tells how far it is.
    """
    work = ShownWork(things, stderr, preparing=preparing)
    try:
        with work.shown():
            yield work
    except WorkStoppedError as error:
        raise work.ended_error(f"{error}: {left}.") from error


def _duration(seconds: float) -> str:
    """A duration for people.

    >>> [_duration(seconds) for seconds in (7, 100, 4000)]
    ['7 s', '1 min 40 s', '1:06:40 h']
    """
    whole = round(seconds)
    if whole < MINUTE_S:
        return f"{whole} s"
    if whole < MINUTE_S**2:
        return f"{whole // MINUTE_S} min {whole % MINUTE_S} s"
    return f"{timedelta(seconds=whole)} h"
