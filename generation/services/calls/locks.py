"""Short transactions around the rows of calls.

On SQLite a write transaction has the only write lock already; on PostgreSQL we lock rows.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection, transaction

from annotation.services.records.locks import writing_turn
from generation.models import Endpoint

LOCK_SQL = "SELECT id FROM {table} WHERE id = %s FOR UPDATE"


@contextmanager
def writing() -> Iterator[None]:
    """Write in one transaction, one writer at a time on SQLite."""
    with writing_turn(), transaction.atomic():
        yield


def lock_endpoint(endpoint: Endpoint) -> None:
    """Keep others from admitting a request until the transaction ends."""
    if connection.features.has_select_for_update:
        with connection.cursor() as cursor:
            cursor.execute(LOCK_SQL.format(table=endpoint._meta.db_table), [endpoint.pk])
