"""Short transactions around the rows of calls.

SQLite's transactions have the only write lock already; PostgreSQL gets locks of its own.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection, transaction

from annotation.services.locks import writing_turn
from generation.models import Endpoint

LOCK_SQL = "SELECT id FROM {table} WHERE id = %s FOR UPDATE"
# A number for a key; two payers that share one merely take turns.
LOCK_PAYER_SQL = "SELECT pg_advisory_xact_lock(hashtext(%s))"


@contextmanager
def writing() -> Iterator[None]:
    """Write in one transaction, in turn."""
    with writing_turn(), transaction.atomic():
        yield


def lock_endpoint(endpoint: Endpoint) -> None:
    """Let nobody else admit a request until the transaction ends."""
    if connection.features.has_select_for_update:
        with connection.cursor() as cursor:
            cursor.execute(LOCK_SQL.format(table=endpoint._meta.db_table), [endpoint.pk])


def lock_payer(key: str) -> None:
    """Let nobody else spend of a payer's budget until the transaction ends, at any endpoint."""
    if connection.features.has_select_for_update:
        with connection.cursor() as cursor:
            cursor.execute(LOCK_PAYER_SQL, [key])
