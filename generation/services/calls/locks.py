"""Short transactions around the rows of an endpoint's calls."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection, transaction

from annotation.services.locks import writing_turn
from generation.models import Endpoint

LOCK_SQL = "SELECT id FROM {table} WHERE id = %s FOR UPDATE"
# Rows that point at the run are written meanwhile, so that its key stays free.
LOCK_RUN_SQL = "SELECT id FROM generation_run WHERE id = %s FOR NO KEY UPDATE"


@contextmanager
def writing() -> Iterator[None]:
    """Write in one transaction, in turn."""
    with writing_turn(), transaction.atomic():
        yield


@contextmanager
def locked(endpoint: Endpoint) -> Iterator[None]:
    """Admit one request at a time; SQLite's transactions are one at a time anyway."""
    with writing():
        lock_endpoint(endpoint)
        yield


def lock_endpoint(endpoint: Endpoint) -> None:
    """Let nobody else admit a request until the transaction ends.

    SQLite's transactions have the only write lock already.
    """
    if connection.features.has_select_for_update:
        with connection.cursor() as cursor:
            cursor.execute(LOCK_SQL.format(table=endpoint._meta.db_table), [endpoint.pk])


def lock_spending(run_id: int) -> None:
    """Let nobody else spend a run's budget until the transaction ends, at whatever endpoint."""
    if connection.features.has_select_for_update:
        with connection.cursor() as cursor:
            cursor.execute(LOCK_RUN_SQL, [run_id])
