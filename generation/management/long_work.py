"""What a long command says of itself on a terminal, and how Ctrl+C and SIGTERM end it in order.

A signal only sets a mark, which everything that waits looks at: requests under way are hung up on
and let go of, so that the next command need not wait for them. A second Ctrl+C ends it at once.
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
# As a shell reports a program that a signal ended.
SIGNAL_STATUS = 128
# Some programs that pass a Ctrl+C on send it twice; that is not somebody who is impatient.
AGAIN_AFTER_S = 1.0
SHOW_EVERY_S = 0.5
# Others who hold an endpoint change all the time; one line in so long says enough.
WAIT_TOLD_EVERY_S = 60.0
CLEAR_LINE = "\r\x1b[K"
MINUTE_S = 60


class LongWork:
    """One command at work: how much is done, what it paid, and whether it was told to end."""

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
        self._told: dict[str, float] = {}
        asked_by = f"manage.py {name} (process {os.getpid()} on {socket.gethostname()})"
        self.budget = CommandBudget(
            budget_usd,
            name=asked_by,
            check=self.check,
            hang_up=self.check,
            tell_wait=self.tell_wait,
        )

    def check(self) -> None:
        """Raise CancelledError where the command was told to end."""
        if self.signal is not None:
            raise CancelledError(f"stopped by {SIGNALS[signal.Signals(self.signal)]}")

    def begin(self, total_count: int, *, earlier_count: int = 0) -> None:
        """Say how much there is to do, and how much of it was done by an earlier command."""
        self.total_count, self.earlier_count = total_count, earlier_count
        self._began_s = time.monotonic()

    def done(self, count: int = 1) -> None:
        """Say that so much more is done."""
        with self._lock:
            self.done_count += count

    def ended(self, error: CancelledError) -> CommandError:
        """How a command ends that was told to."""
        finished = self.earlier_count + self.done_count
        return CommandError(
            f"{error}. {finished} of {self.total_count} {self._things} are finished; run"
            " the same command again to continue.",
            returncode=SIGNAL_STATUS + (self.signal or signal.SIGINT),
        )

    def tell_wait(self, endpoint: Endpoint, holder: Holder) -> None:
        """Write on whom the command waits, and until when."""
        what = f"{holder.name} asks {endpoint.name} the same"
        if not holder.asks_the_same:
            what = f"{endpoint.name} takes no more requests now; {holder.name} has the next to end"
        now_s = time.monotonic()
        with self._lock:
            if now_s - self._told.get(what, -WAIT_TOLD_EVERY_S) < WAIT_TOLD_EVERY_S:
                return
            self._told[what] = now_s
        until = timezone.localtime(holder.until)
        self._write(f"Waiting: {what}, until {until:%H:%M:%S} at the latest.\n")

    @contextmanager
    def shown(self) -> Iterator[None]:
        """Show how the work goes in this block, on a terminal only, and end it in order."""
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
        """How far the work is after so long: count, rate, time left, tokens and cost."""
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
    """A time as people say it.

    >>> [_duration(seconds) for seconds in (7, 100, 4000)]
    ['7 s', '1 min 40 s', '1:06:40 h']
    """
    whole = round(seconds)
    if whole < MINUTE_S:
        return f"{whole} s"
    if whole < MINUTE_S**2:
        return f"{whole // MINUTE_S} min {whole % MINUTE_S} s"
    return f"{timedelta(seconds=whole)} h"
