"""Do several pieces of slow work at once, each with a database connection of its own."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import TypeVar

from django.db import connection

Item = TypeVar("Item")


def each_done(
    items: Sequence[Item], work: Callable[[Item], object], *, at_once: int
) -> Iterator[Item]:
    """Yield every item when its work is done, as many at a time as `at_once` says.

    What one of them raises is raised when those under way have ended, which may have been paid for;
    nothing new begins meanwhile. Alone, or in a transaction, whose rows other threads would not
    see, they are done in the caller's own thread.
    """
    if at_once == 1 or len(items) < 2 or connection.in_atomic_block:
        for item in items:
            work(item)
            yield item
        return

    def alone(item: Item) -> Item:
        try:
            work(item)
        finally:
            connection.close()
        return item

    left = list(reversed(items))
    under_way: set[Future[Item]] = set()
    failures: list[BaseException] = []
    with ThreadPoolExecutor(max(1, at_once)) as pool:
        while under_way or (left and not failures):
            while left and not failures and len(under_way) < at_once:
                under_way.add(pool.submit(alone, left.pop()))
            done, under_way = wait(under_way, return_when=FIRST_COMPLETED)
            for future in done:
                error = future.exception()
                if error is None:
                    yield future.result()
                else:
                    failures.append(error)
    if failures:
        raise failures[0]
