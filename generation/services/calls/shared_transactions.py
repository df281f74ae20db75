"""Let threads that write at the same moment share one transaction.

SQLite executes one transaction at a time, and a thread in one gives up the interpreter at each
statement and gets it back only after all the others: with 64 threads asking a model, a call waited
20 ms for its two transactions. So one thread writes for all that arrive while somebody writes, and
each thread goes on only when its own part is committed.
"""

import logging
import threading
import time
from collections.abc import Callable
from typing import TypeVar

from django.db import connection

from generation.services.calls.locks import writing

logger = logging.getLogger(__name__)

# Where several threads write at once, so long a pause brings more of them into one transaction: a
# call takes less of the processor, and with 64 threads it is answered sooner.
PAUSE_S = 0.001

Result = TypeVar("Result")


class SharedWriting:
    """The parts that wait for the next transaction, and whether a thread is writing."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: list[_Part] = []
        self._has_leader = False
        self._is_crowded = False

    def write(self, work: Callable[[], Result]) -> Result:
        """Do the work in a transaction, and return its result once that is committed.

        Another thread may do it, on its own connection, and it is done again after a rollback. What
        it raises is raised here, and undoes nothing that others wrote.
        """
        results: list[Result] = []
        part = _Part(lambda: results.append(work()))
        with self._lock:
            self._waiting.append(part)
            leads, self._has_leader = not self._has_leader, True
        if not leads:
            part.woken.wait()
        if not part.is_tried:
            self._lead()
        # If one part fails, nothing of the shared transaction is written. Then each thread writes
        # alone, and only the one at fault fails again.
        return results[-1] if part.is_written else _write_alone(work)

    def _lead(self) -> None:
        if self._is_crowded:
            time.sleep(PAUSE_S)
        with self._lock:
            parts, self._waiting = self._waiting, []
            self._is_crowded = len(parts) > 1
        try:
            _write_alone(lambda: [part.work() for part in parts])
            for part in parts:
                part.is_written = True
        # The thread that it belongs to writes alone, so it is raised there.
        except Exception:
            logger.debug("%s parts are written alone", len(parts), exc_info=True)
        finally:
            # The first thread that arrived meanwhile leads the next transaction.
            with self._lock:
                self._has_leader = bool(self._waiting)
                if self._waiting:
                    self._waiting[0].woken.set()
            for part in parts:
                part.is_tried = True
                part.woken.set()


class _Part:
    """What one thread has to write; woken when that was tried, or when this thread has to lead."""

    def __init__(self, work: Callable[[], None]) -> None:
        self.work = work
        self.woken = threading.Event()
        self.is_tried = False
        self.is_written = False


_writing = SharedWriting()


def write_together(work: Callable[[], Result]) -> Result:
    """Do the work in a transaction, which on SQLite is shared with other threads.

    See `SharedWriting.write`. PostgreSQL runs transactions in parallel, and a shared one would hold
    the locks of all its parts. Inside an open transaction the work simply joins it.
    """
    if connection.features.has_select_for_update or connection.in_atomic_block:
        return _write_alone(work)
    return _writing.write(work)


def _write_alone(work: Callable[[], Result]) -> Result:
    with writing():
        return work()
