"""Do several pieces of slow work at once, and hold no database connection while waiting."""

import threading
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from queue import SimpleQueue
from typing import Generic, TypeVar

from django.db import connection

Item = TypeVar("Item")
Result = TypeVar("Result")


def leave_connection() -> None:
    """Give the thread's connection back before something slow is waited for.

    The next query takes one again. A transaction keeps its own, and SQLite, where nobody waits for
    one, any.
    """
    # Django would close it also in the middle of a transaction, which would be lost.
    if not connection.in_atomic_block:
        connection.close_if_unusable_or_obsolete()


def close_connections() -> None:
    """Close the thread's connection, and those that the process keeps for its other threads."""
    connection.close()
    # SQLite has no pool.
    close_pool = getattr(connection, "close_pool", None)
    if close_pool is not None:
        close_pool()


def each_done(
    items: Sequence[Item], work: Callable[[Item], Result], *, at_once: int
) -> Iterator[tuple[Item, Result]]:
    """Yield every item, and what came of it, when its work is done, `at_once` of them at a time.

    What one of them raises is raised when those under way have ended, which may have been paid for;
    nothing new begins meanwhile. Alone, or in a transaction, whose rows other threads would not
    see, they are done in the caller's own thread.
    """
    if at_once == 1 or len(items) < 2 or connection.in_atomic_block:
        for item in items:
            yield item, work(item)
        return

    share = _Share(iter(items), work)
    threads = [threading.Thread(target=share.take) for _ in range(min(at_once, len(items)))]
    for thread in threads:
        thread.start()
    try:
        at_work = len(threads)
        while at_work:
            leave_connection()
            pair = share.done.get()
            if pair is None:
                at_work -= 1
            else:
                yield pair
    finally:
        share.is_over.set()
        leave_connection()
        for thread in threads:
            thread.join()
    if share.failures:
        raise share.failures[0]


class _Share(Generic[Item, Result]):
    """What threads take from until nothing is left, or one has failed."""

    def __init__(self, waiting: Iterator[Item], work: Callable[[Item], Result]) -> None:
        self._waiting, self._work = waiting, work
        self._taking = threading.Lock()
        self.is_over = threading.Event()
        self.failures: list[BaseException] = []
        # None for a thread that has ended.
        self.done: SimpleQueue[tuple[Item, Result] | None] = SimpleQueue()

    def take(self) -> None:
        """Work on item after item, in a thread of its own."""
        try:
            while not self.is_over.is_set():
                with self._taking:
                    taken = list(islice(self._waiting, 1))
                if not taken:
                    break
                self.done.put((taken[0], self._work(taken[0])))
                leave_connection()
        # Whatever it is, it is raised for the caller.
        except BaseException as error:  # noqa: BLE001
            self.failures.append(error)
            self.is_over.set()
        finally:
            # Every thread has a connection of its own, and nobody else would close it. On SQLite it
            # lasts for all its items: a new one reads the whole schema, a millisecond or two.
            connection.close()
            self.done.put(None)
