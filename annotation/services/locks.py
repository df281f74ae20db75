"""Who may write next: turns on SQLite, locks of rows on PostgreSQL."""

import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from django.db import connection

from annotation.models import Assignment

LOCK_SQL = "SELECT id FROM annotation_assignment WHERE public_id = %s FOR UPDATE"
_writing = threading.Lock()


@contextmanager
def writing_turn() -> Iterator[None]:
    """Let the threads of this process take turns at SQLite's only write lock.

    SQLite itself makes a writer that has to wait sleep and look again, up to 100 ms later, while
    the lock may long be free; a thread that waits here is woken when its turn comes.
    """
    # Inside a transaction the write lock is held already; waiting here could then wait for ever.
    if connection.features.has_select_for_update or connection.in_atomic_block:
        yield
        return
    with _writing:
        yield


def lock_assignment(public_id: str) -> None:
    """Let nobody else change the assignment until the transaction ends.

    SQLite transactions are IMMEDIATE here, so they have the only write lock already. PostgreSQL
    gets a statement of its own: what a locking query reads from other tables may be older than
    the lock it waited for.
    """
    if connection.features.has_select_for_update:
        # The one row and nothing joined: a lock on the campaign would let one rater save at a time.
        with connection.cursor() as cursor:
            cursor.execute(LOCK_SQL, [public_id])


def lock_ratings_of(trace_ids: Iterable[int]) -> None:
    """Let nobody save ratings of these traces until the transaction ends, and wait for who does.

    Whoever wants to know whether there are ratings, to change what they are of, asks after this.
    """
    assignments = Assignment.objects.filter(trace__in=list(trace_ids)).order_by("pk")
    list(assignments.select_for_update().values_list("pk", flat=True))
