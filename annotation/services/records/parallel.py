"""Do several pieces of slow work at once, and hold no database connection while waiting."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import TypeVar

from django.db import connection

Item = TypeVar("Item")
Result = TypeVar("Result")


def leave_connection() -> None:
    """Give the thread's connection back before something slow is waited for.

    The next query takes one again. A transaction keeps its own, and SQLite, where nobody waits for
    one, any.
    """
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

    def alone(item: Item) -> tuple[Item, Result]:
        try:
            return item, work(item)
        finally:
            # Every thread has a connection of its own, and nobody else would close it.
            connection.close()

    waiting = list(reversed(items))
    under_way: set[Future[tuple[Item, Result]]] = set()
    failures: list[BaseException] = []
    with ThreadPoolExecutor(max(1, at_once)) as pool:
        while under_way or (waiting and not failures):
            while waiting and not failures and len(under_way) < at_once:
                under_way.add(pool.submit(alone, waiting.pop()))
            leave_connection()
            done, under_way = wait(under_way, return_when=FIRST_COMPLETED)
            for future in done:
                error = future.exception()
                if error is None:
                    yield future.result()
                else:
                    failures.append(error)
    if failures:
        raise failures[0]
