"""Move a site from SQLite to the PostgreSQL that DATABASE_URL names."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import CommandError
from django.db import connection, connections

from annotation.engine.counting import counted
from annotation.management.command import CommandWithoutPages
from annotation.management.shown_work import shown_while
from annotation.services.records.moving import SOURCE, MovedTable, missing_videos, move_site


class Command(CommandWithoutPages):
    help = (
        "Move a site from an SQLite file into the empty PostgreSQL database of DATABASE_URL: all"
        " or nothing. The site has to be stopped; the file stays as it is."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, help="the SQLite database, such as var/piev.sqlite3")

    def handle(self, *args: Any, file: Path, **options: Any) -> None:
        if connection.vendor != "postgresql":
            raise CommandError("DATABASE_URL does not name a PostgreSQL database to move to.")
        if not file.is_file():
            raise CommandError(f"{file} is not there; expected the file of an SQLite database.")
        connections.databases[SOURCE] = {
            **connection.settings_dict,
            "ENGINE": "django.db.backends.sqlite3",
            "NAME": str(file),
            # Nobody may write meanwhile.
            "OPTIONS": {"transaction_mode": "IMMEDIATE", "timeout": 20},
        }
        moved: list[MovedTable] = []

        def note(table: MovedTable) -> None:
            moved.append(table)
            self.stdout.write(f"{table.digest[:16]}  {table.row_count:>9,}  {table.name}")

        try:
            with shown_while("Moving all rows", self.stderr, left="nothing was moved"):
                move_site(note)
        except ValidationError as error:
            raise CommandError(" ".join(error.messages)) from error
        finally:
            connections[SOURCE].close()
            del connections[SOURCE], connections.databases[SOURCE]
        missing = missing_videos()
        for path in missing:
            self.stderr.write(f"{path} is not there: link its data set again")
        count = sum(table.row_count for table in moved)
        self.stdout.write(f"{counted(count, 'row')} of {counted(len(moved), 'table')} moved")
