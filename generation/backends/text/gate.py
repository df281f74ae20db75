"""Limit how many requests of one process an endpoint gets at once and per minute.

The limit for all processes together is kept by the recorded calls (`services.calls.claims`).
"""

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager

WINDOW_S = 60.0
# How often somebody who waits checks whether the run was cancelled.
LOOK_S = 0.2


class Gate:
    """At most `concurrency` inside; at most `per_minute` entries in any minute (None: no limit)."""

    def __init__(
        self,
        concurrency: int,
        per_minute: int | None,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.concurrency, self.per_minute = concurrency, per_minute
        self._clock = clock
        self._inside_count = 0
        self._entries: deque[float] = deque()
        self._changed = threading.Condition()

    @contextmanager
    def entered(self, check: Callable[[], None]) -> Iterator[None]:
        """Wait for a place and hold it; `check` is called while waiting and may raise."""
        with self._changed:
            while (wait_s := self._wait_s()) > 0:
                check()
                self._changed.wait(min(wait_s, LOOK_S))
            self._inside_count += 1
            if self.per_minute is not None:
                self._entries.append(self._clock())
        try:
            yield
        finally:
            with self._changed:
                self._inside_count -= 1
                self._changed.notify()

    def _wait_s(self) -> float:
        """0 if there is a place, else how long to wait before looking again."""
        if self._inside_count >= self.concurrency:
            return WINDOW_S
        if self.per_minute is None:
            return 0.0
        now = self._clock()
        while self._entries and self._entries[0] <= now - WINDOW_S:
            self._entries.popleft()
        if len(self._entries) < self.per_minute:
            return 0.0
        return self._entries[0] + WINDOW_S - now
