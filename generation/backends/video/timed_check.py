"""Whether long work on a video is still wanted, checked about once a second."""

import time
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from generation.engine.progress import UNWATCHED

# Raises if the work is no longer wanted.
StillWanted = Callable[[], None]
Item = TypeVar("Item")

PAUSE_S = 1.0


class TimedCheck:
    """Can be called often, and calls a check at most once in `pause_s` seconds."""

    def __init__(
        self,
        check: StillWanted = UNWATCHED.check,
        *,
        pause_s: float | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._check = check
        self._pause_s = PAUSE_S if pause_s is None else pause_s
        self._clock = clock
        self._due_at = clock() + self._pause_s

    def __call__(self) -> None:
        now = self._clock()
        if now >= self._due_at:
            self._due_at = now + self._pause_s
            self._check()

    def over(self, items: Iterable[Item]) -> Iterator[Item]:
        """Yield the items, with a check before each."""
        clock = self._clock
        for item in items:
            # There may be tens of thousands of them, so only what is due is called.
            if clock() >= self._due_at:
                self()
            yield item
