"""Writing many rows, in a job or without one: in batches, so that others write in between."""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain, islice
from typing import Any, TypeVar

from django.db import connection, transaction
from django.db.models import Model, QuerySet

from annotation.services.records.jobs import Claim, extend_lease
from annotation.services.records.locks import writing_turn

Row = TypeVar("Row")
# Some 30 ms each: nobody notices that they wait for one.
ROWS_AT_ONCE = 1000
PAUSE_S = 0.02


@contextmanager
def short_transaction(claim: Claim | None) -> Iterator[None]:
    """A transaction, of a job under its claim; it raises LostClaimError where that must stop."""
    with writing_turn(), transaction.atomic():
        if claim is not None:
            extend_lease(claim=claim)
        yield


def in_batches(rows: Iterable[Row]) -> Iterator[list[Row]]:
    left = iter(rows)
    while batch := list(islice(left, ROWS_AT_ONCE)):
        yield batch


def insert_rows(claim: Claim | None, insert_sql: str, rows: Sequence[Sequence[Any]]) -> None:
    """Insert one batch; the statement is that of one row and ends with its values.

    Plain SQL: a hundred thousand rows take the ORM many seconds. One statement of all rows takes
    half the time of one for each; databases take 32,766 values in it, so rows have up to 32.
    """
    if not rows:
        return
    into, row = insert_sql.rsplit("VALUES", 1)
    values = ", ".join([row] * len(rows))
    with short_transaction(claim), connection.cursor() as cursor:
        cursor.execute(f"{into} VALUES {values}", list(chain.from_iterable(rows)))


def delete_rows(
    claim: Claim | None, rows: "QuerySet[Model]", tell: Callable[[int], object] = lambda _: None
) -> None:
    """Delete rows, batch by batch; what depends on them has to be gone already.

    `tell` takes the size of each batch.
    """
    while keys := list(rows.order_by("pk").values_list("pk", flat=True)[:ROWS_AT_ONCE]):
        with short_transaction(claim):
            rows.model._base_manager.filter(pk__in=keys).delete()
        tell(len(keys))
        # A writer that SQLite makes look again every 100 ms would hardly ever find the lock free.
        time.sleep(PAUSE_S)
