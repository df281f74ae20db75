"""Move a site from SQLite to PostgreSQL: every row of every table, in one transaction."""

import hashlib
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from itertools import islice
from typing import Any

from django.apps import apps
from django.core.exceptions import ValidationError
from django.core.management.color import no_style
from django.db import DatabaseError, connections, transaction
from django.db.migrations.executor import MigrationExecutor
from django.db.models import Field, Model
from django.utils import timezone

from annotation.backends import made_files
from annotation.engine.videos.storage_prefix import is_storage_address
from annotation.models import Campaign, Dataset, Job, Process, User, Video
from annotation.selectors.videos.files import path_of

# How the two databases are called among Django's connections.
SOURCE, TARGET = "moved_from", "default"
BATCH_ROWS = 500
# A worker reports four times a minute.
LATELY = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class MovedTable:
    """A table that was moved; `digest` is that of all its rows, the same in both databases."""

    name: str
    row_count: int
    digest: str


def move_site(note: Callable[[MovedTable], None]) -> None:
    """Copy all rows from the connection `moved_from` to the default one, or nothing at all.

    Raises ValidationError where the source has workers, a database lacks migrations, the target
    holds anything that migrations did not put there, or a table differs after it was written.
    """
    _require_same_tables()
    with transaction.atomic(using=SOURCE), transaction.atomic(using=TARGET):
        _require_quiet_source()
        _require_empty_target()
        models = [
            model for model in apps.get_models(include_auto_created=True) if _has_table(model)
        ]
        # What migrations and their signals wrote has other keys than the same rows of the source.
        for model in models:
            with connections[TARGET].cursor() as cursor:
                cursor.execute(f"DELETE FROM {_quoted(model)}")  # noqa: S608 - no word of a user
        for model in models:
            note(_move_table(model))
        with connections[TARGET].cursor() as cursor:
            for statement in connections[TARGET].ops.sequence_reset_sql(no_style(), models):
                cursor.execute(statement)
            # Rows may name rows of later tables; here all are there.
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")


def missing_videos() -> list[str]:
    """The linked files that this machine does not have, of the site that was moved."""
    linked = Video.objects.filter(etag="").select_related("dataset").order_by("pk")
    return [
        str(made_files.path_here(video.address) / video.path)
        for video in linked
        if not is_storage_address(video.address) and path_of(video) is None
    ]


def _has_table(model: type[Model]) -> bool:
    return model._meta.managed and not model._meta.proxy


def _quoted(model: type[Model]) -> str:
    return connections[TARGET].ops.quote_name(model._meta.db_table)


def _require_same_tables() -> None:
    for alias, name in ((SOURCE, "The database to move"), (TARGET, "The database to move to")):
        executor = MigrationExecutor(connections[alias])
        if executor.migration_plan(executor.loader.graph.leaf_nodes()):
            raise ValidationError(f"{name} is not set up for this version: run migrate on it first")


def _require_quiet_source() -> None:
    seen = Process.objects.using(SOURCE).filter(seen_at__gt=timezone.now() - LATELY).first()
    if seen:
        raise ValidationError(
            f"{seen.get_kind_display()} {seen.name} of the site was seen a moment ago: stop the"
            " site, and move it a minute later"
        )


def _require_empty_target() -> None:
    for model in (User, Dataset, Campaign, Job):
        count = model._base_manager.using(TARGET).count()
        if count:
            raise ValidationError(
                f"The database to move to is not empty: {model._meta.db_table} has {count} rows"
            )


def _move_table(model: type[Model]) -> MovedTable:
    fields = [field for field in model._meta.local_concrete_fields if not field.generated]
    rows = model._base_manager.using(SOURCE).order_by("pk").iterator(chunk_size=BATCH_ROWS)
    try:
        while objects := list(islice(rows, BATCH_ROWS)):
            # As `loaddata` stores them: raw, so that no field puts the present time into itself.
            model._base_manager._insert(objects, fields=fields, using=TARGET, raw=True)  # type: ignore[attr-defined]
    except (ValueError, DatabaseError) as error:
        raise ValidationError(f"{model._meta.db_table}: {error}") from error
    before, after = (_facts(model, fields, alias) for alias in (SOURCE, TARGET))
    if before != after:
        raise ValidationError(
            f"{model._meta.db_table} differs after it was moved: {before.row_count} rows before,"
            f" {after.row_count} after; nothing was moved"
        )
    return after


def _facts(model: type[Model], fields: list["Field[Any, Any]"], alias: str) -> MovedTable:
    digest, count = hashlib.sha256(), 0
    for line in _lines(model, fields, alias):
        digest.update(line)
        count += 1
    return MovedTable(model._meta.db_table, count, digest.hexdigest())


def _lines(model: type[Model], fields: list["Field[Any, Any]"], alias: str) -> Iterator[bytes]:
    """The rows in one writing, whatever a database makes of JSON, bytes and whole numbers."""
    names = [field.attname for field in fields]
    rows = model._base_manager.using(alias).order_by("pk").values_list(*names)
    for row in rows.iterator(chunk_size=BATCH_ROWS):
        written = json.dumps(_plain(row), sort_keys=True, default=str, ensure_ascii=True)
        yield f"{written}\n".encode()


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _plain(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    if isinstance(value, memoryview | bytes):
        return bytes(value).hex()
    # PostgreSQL keeps the number 1e22 of a document as a whole one.
    return int(value) if isinstance(value, float) and value.is_integer() else value
