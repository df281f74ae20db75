"""Let threads that write at the same moment share one transaction.

SQLite carries out one transaction at a time, and a thread that is in one gives the interpreter away
at each of its statements and gets it back behind all others: with 64 threads that asked a model, a
call spent 20 ms in waiting for its two turns. So the first writes for all who come while
somebody writes, and nobody goes on before their own part is committed.
"""

import logging
import threading
from collections.abc import Callable
from typing import TypeVar

from django.db import connection

from generation.services.calls.locks import writing

logger = logging.getLogger(__name__)

Result = TypeVar("Result")


class SharedWriting:
    """The parts that wait for the next transaction, and whether somebody writes meanwhile."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: list[_Part] = []
        self._has_leader = False

    def write(self, work: Callable[[], Result]) -> Result:
        """Carry the work out in a transaction, and return its result once that is committed.

        It may be carried out by another thread, on its connection, and again after a rollback.
        What it raises is raised here, and undoes nothing of what others wrote.
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
        # Where one part fails, nothing of its transaction is written. Then everybody goes alone,
        # and only who was at fault fails again.
        return results[-1] if part.is_written else _write_alone(work)

    def _lead(self) -> None:
        with self._lock:
            parts, self._waiting = self._waiting, []
        try:
            _write_alone(lambda: [part.work() for part in parts])
            for part in parts:
                part.is_written = True
        # Raised again, in the thread that it belongs to.
        except Exception:
            logger.debug("%s parts go alone", len(parts), exc_info=True)
        finally:
            # The first who came meanwhile writes next.
            with self._lock:
                self._has_leader = bool(self._waiting)
                if self._waiting:
                    self._waiting[0].woken.set()
            for part in parts:
                part.is_tried = True
                part.woken.set()


class _Part:
    """What one thread wants to have written; woken when that was tried, or when it has to lead."""

    def __init__(self, work: Callable[[], None]) -> None:
        self.work = work
        self.woken = threading.Event()
        self.is_tried = False
        self.is_written = False


_writing = SharedWriting()


def write_together(work: Callable[[], Result]) -> Result:
    """Carry the work out in a transaction, on SQLite shared with other threads.

    See `SharedWriting.write`. Transactions of PostgreSQL run beside each other, and a shared one
    would hold the locks of all its parts. Inside a transaction the work belongs to that one.
    """
    if connection.features.has_select_for_update or connection.in_atomic_block:
        return _write_alone(work)
    return _writing.write(work)


def _write_alone(work: Callable[[], Result]) -> Result:
    with writing():
        return work()
