"""Who may write next: turns on SQLite, locks of rows on PostgreSQL."""

import fcntl
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any

from django.db import DEFAULT_DB_ALIAS, connection, connections
from django.db.models import Model, QuerySet
from django.http import Http404

from annotation.models import Assignment, Campaign, Dataset, Round

# Saves share a lock of their round, which closing takes alone: what is saved was saved before its
# round closed. An advisory lock, because nothing is written for it, and who closes waits in line
# with the saves: of a row that saves share one after the other, an exclusive lock may never come.
SHARE_ROUND_SQL = "SELECT pg_advisory_xact_lock_shared(hashtext('round:' || %s::bigint))"
CLOSE_ROUND_SQL = "SELECT pg_advisory_xact_lock(hashtext('round:' || %s::bigint))"
# The round first, as for who closes: the row is locked when all else of the statement is done.
LOCK_WORK_SQL = """
WITH own AS MATERIALIZED (
  SELECT id, pg_advisory_xact_lock_shared(hashtext('round:' || round_id)) AS round
  FROM {table} WHERE public_id = %s
)
SELECT work.id, own.round FROM {table} work, own WHERE work.id = own.id FOR UPDATE OF work
"""


@contextmanager
def writing_turn() -> Iterator[None]:
    """Let all threads and processes take turns at SQLite's only write lock.

    SQLite itself makes a writer that has to wait sleep and look again, up to 100 ms later, while
    the lock may long be free; who waits here is woken at once: twice as many saves per second. The
    kernel ends the turn of a process that is killed.
    """
    # Inside a transaction the write lock is held already; waiting here could then wait for ever.
    database = connections[DEFAULT_DB_ALIAS]
    if database.features.has_select_for_update or database.in_atomic_block:
        yield
        return
    # The folder is there, and locking it needs no file of its own. It must not be the database's
    # file: a process that closes that one anywhere loses all of SQLite's locks on it.
    folder = os.open(_folder_of(database.settings_dict["NAME"]), os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        yield
    finally:
        # A child that was forked meanwhile has the folder open too, so closing alone ends nothing.
        fcntl.flock(folder, fcntl.LOCK_UN)
        os.close(folder)


@lru_cache
def _folder_of(database_file: str | Path) -> Path:
    return Path(database_file).parent


def lock_campaign(campaign: Campaign) -> Campaign:
    """The campaign as it is now, which nobody else changes until the transaction ends."""
    # On SQLite the IMMEDIATE transaction is the lock, and Django leaves FOR UPDATE out.
    return Campaign.objects.select_for_update().get(pk=campaign.pk)


def lock_datasets(datasets: Iterable[Dataset]) -> list[Dataset]:
    """Lock the data sets against being deleted; raises Http404 when one is gone by now."""
    keys = {dataset.pk for dataset in datasets}
    # Whoever refers to one, and has locked its owner before, need not wait for this.
    rows = Dataset.objects.select_for_update(no_key=True)
    locked = list(rows.filter(pk__in=keys).order_by("pk"))
    if len(locked) < len(keys):
        raise Http404("One of these data sets was deleted just now.")
    return locked


def hold_datasets(campaign_id: int) -> None:
    """Let nobody delete a data set of the campaign until the transaction ends."""
    list(Dataset.objects.select_for_update().filter(campaigns=campaign_id).order_by("pk"))


def share_round(round_id: int) -> None:
    """Let nobody close the round until the transaction ends; others save in it meanwhile.

    What tells whether it is closed has to be read after this. SQLite has its one write lock.
    """
    if connection.features.has_select_for_update:
        with connection.cursor() as cursor:
            cursor.execute(SHARE_ROUND_SQL, [round_id])


def lock_rounds(rounds: Iterable[Round]) -> None:
    """Let nobody save in these rounds until the transaction ends; waits for running saves.

    Needs the lock of the campaign. The moment of closing has to be read after this.
    """
    if connection.features.has_select_for_update:
        with connection.cursor() as cursor:
            # In one order, as for saves that touch two rounds.
            for key in sorted(round_.pk for round_ in rounds):
                cursor.execute(CLOSE_ROUND_SQL, [key])


def lock_work(kind: type[Model], public_id: str) -> None:
    """Let nobody else change a person's work, nor close its round, until the transaction ends.

    `kind` has a `round`, as an assignment has.

    SQLite transactions are IMMEDIATE here, so they have the only write lock already. PostgreSQL
    gets a statement of its own: what a locking query reads from other tables may be older than
    the lock it waited for.
    """
    if connection.features.has_select_for_update:
        # No row but its own: a lock on the campaign would let one rater save at a time.
        with connection.cursor() as cursor:
            cursor.execute(LOCK_WORK_SQL.format(table=kind._meta.db_table), [public_id])


def hold_work(rows: QuerySet[Any]) -> None:
    """Let nobody begin or change these people's works until the transaction ends.

    Waits for running saves: what is not begun, and may be taken away, has to be read after this.
    """
    list(rows.order_by("pk").select_for_update().values_list("pk", flat=True))


def lock_ratings_of(trace_ids: Iterable[int]) -> None:
    """Let nobody save ratings of these traces until the transaction ends; waits for running saves.

    Only after this is it certain whether the traces have ratings.
    """
    hold_work(Assignment.objects.filter(trace__in=list(trace_ids)))
