"""Two writers on PostgreSQL, the second of which waits for the first; nothing is left to chance."""

import threading
import time

import pytest
from django.db import connection, transaction

WITH_TWO_WRITERS = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has one writer"),
]
LIMIT_S = 120
WAITING_SQL = """
SELECT COUNT(*) FROM pg_stat_activity
WHERE datname = current_database() AND wait_event_type = 'Lock'
"""


def in_thread(work, ended):
    def run():
        try:
            work()
        except BaseException as error:  # noqa: BLE001 (a thread's error must fail the test)
            ended.append(error)
        else:
            ended.append(None)
        finally:
            connection.close()

    thread = threading.Thread(target=run)
    thread.start()
    return thread


def wait_for(is_so):
    end = time.monotonic() + LIMIT_S
    while not is_so():
        assert time.monotonic() < end, "nobody waits"
        time.sleep(0.01)


def waiting_count():
    with connection.cursor() as cursor:
        # In a transaction the view stays as it was first seen.
        cursor.execute("SELECT pg_stat_clear_snapshot()")
        cursor.execute(WAITING_SQL)
        return cursor.fetchone()[0]


def raised_after(first, second):
    """What `second` raised, which began while `first` was done but not committed; None if nothing.

    Where `second` waits for it, it goes on after the commit; else it ended before.
    """
    ended = []
    with transaction.atomic():
        first()
        thread = in_thread(second, ended)
        wait_for(lambda: waiting_count() == 1 or ended)
    thread.join(LIMIT_S)
    return ended[0]
