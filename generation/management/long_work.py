"""How a long command shows its progress on a terminal and stops cleanly on Ctrl+C and SIGTERM.

A signal only sets a flag, which everything that waits checks: requests under way are hung up on and
their claims closed, so that the next command need not wait for them. A second Ctrl+C ends at once.
"""

import os
import signal
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from decimal import Decimal
from types import FrameType

from django.core.management.base import CommandError, OutputWrapper
from django.utils import timezone

from generation.backends.exceptions import CancelledError
from generation.models import Endpoint
from generation.selectors.calls.admission import Holder
from generation.services.texts.command_budget import CommandBudget

SIGNALS = {signal.SIGINT: "Ctrl+C", signal.SIGTERM: "SIGTERM"}
# Shells report a program that a signal ended as 128 plus the signal.
SIGNAL_STATUS = 128
# Some programs pass one Ctrl+C on twice; the second does not mean that somebody is impatient.
AGAIN_AFTER_S = 1.0
SHOW_EVERY_S = 0.5
# Who holds an endpoint changes all the time; one line a minute is enough.
WAIT_MESSAGE_EVERY_S = 60.0
CLEAR_LINE = "\r\x1b[K"
MINUTE_S = 60


class LongWork:
    """The progress of one command: how much is done, what it paid, and whether to stop."""

    def __init__(
        self, name: str, things: str, stderr: OutputWrapper, budget_usd: Decimal | None = None
    ) -> None:
        self.total_count = 0
        self.done_count = 0
        self.earlier_count = 0
        self.signal: int | None = None
        self._things, self._stderr = things, stderr
        self._began_s = time.monotonic()
        self._ending_since_s = 0.0
        self._lock = threading.Lock()
        self._shown_at_s: dict[str, float] = {}
        self.budget = CommandBudget(
            budget_usd,
            name=f"manage.py {name} (process {os.getpid()} on {socket.gethostname()})",
            check=self.check,
            hang_up=self.check,
            report_wait=self.report_wait,
        )

    def check(self) -> None:
        """Raise CancelledError if the command has to stop."""
        if self.signal is not None:
            raise CancelledError(f"stopped by {SIGNALS[signal.Signals(self.signal)]}")

    def begin(self, total_count: int, *, earlier_count: int = 0) -> None:
        """Set how much there is to do, and how much of it an earlier command has done."""
        self.total_count, self.earlier_count = total_count, earlier_count
        self._began_s = time.monotonic()

    def count_done(self, count: int = 1) -> None:
        with self._lock:
            self.done_count += count

    def stopped_error(self, error: CancelledError) -> CommandError:
        finished = self.earlier_count + self.done_count
        return CommandError(
            f"{error}. {finished} of {self.total_count} {self._things} are finished; run"
            " the same command again to continue.",
            returncode=SIGNAL_STATUS + (self.signal or signal.SIGINT),
        )

    def report_wait(self, endpoint: Endpoint, holder: Holder) -> None:
        """Write whom the command waits for, and until when."""
        what = f"{holder.name} is asking {endpoint.name} the same question"
        if not holder.asks_the_same:
            what = f"{endpoint.name} has no free place; the next request to end is by {holder.name}"
        now_s = time.monotonic()
        with self._lock:
            if now_s - self._shown_at_s.get(what, -WAIT_MESSAGE_EVERY_S) < WAIT_MESSAGE_EVERY_S:
                return
            self._shown_at_s[what] = now_s
        until = timezone.localtime(holder.until)
        self._write(f"Waiting: {what}, until {until:%H:%M:%S} at the latest.\n")

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
        elif number == signal.SIGINT and time.monotonic() - self._ending_since_s >= AGAIN_AFTER_S:
            raise KeyboardInterrupt

    def _show(self, is_over: threading.Event) -> None:
        while not is_over.wait(SHOW_EVERY_S):
            self._write(self.line(time.monotonic() - self._began_s))

    def line(self, elapsed_s: float) -> str:
        """The progress after so long: count, rate, time left, tokens and cost."""
        finished = self.earlier_count + self.done_count
        parts = [f"{finished:,} of {self.total_count:,} {self._things}"]
        if self.done_count:
            left_s = (self.total_count - finished) * elapsed_s / self.done_count
            parts.append(f"{self.done_count * MINUTE_S / max(elapsed_s, 0.001):.3g} a minute")
            parts.append(f"{_duration(left_s)} left")
        else:
            parts.append(f"{_duration(elapsed_s)} so far")
        paid = self.budget.paid
        if paid.answer_count:
            parts.append(f"{paid.tokens_in:,} tokens in, {paid.tokens_out:,} out")
            if paid.unpriced_count == paid.answer_count:
                parts.append("cost unknown")
            else:
                more = " and more without a price" if paid.unpriced_count else ""
                parts.append(f"${paid.cost:.4f}{more}")
        if paid.read_cost:
            parts.append(f"answers of ${paid.read_cost:.4f} read from the record")
        if self.signal is not None:
            parts.append("ending")
        return ", ".join(parts)

    def _write(self, text: str) -> None:
        if self._stderr.isatty():
            text = CLEAR_LINE + text
        with self._lock:
            self._stderr.write(text, style_func=str, ending="")
            self._stderr.flush()


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
