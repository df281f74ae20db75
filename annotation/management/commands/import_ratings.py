"""Bring in a table of ratings: all of it or, on any problem, nothing."""

from argparse import ArgumentParser
from pathlib import Path
from textwrap import indent
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from annotation.engine.formats.errors import FormatError
from annotation.engine.rating_table import read_table
from annotation.services.rating_import import import_ratings

# A million ratings are about 100 MB.
MAX_FILE_BYTES = 256 * 1024 * 1024


class Command(BaseCommand):
    help = "Import ratings from the table that export_ratings writes: import_ratings FILE."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, help="the CSV table")
        parser.add_argument("--campaign", help="put new ratings into this campaign")
        parser.add_argument(
            "--change-submitted",
            action="store_true",
            help="change answers also where their rater has submitted the trace",
        )

    def handle(self, *args: object, **options: Any) -> None:
        path = options["file"]
        try:
            table = read_table(_content(path), file=path.name, now=timezone.now())
            outcome = import_ratings(
                table.rows,
                file=path.name,
                campaign_name=options["campaign"] or None,
                changes_submitted=options["change_submitted"],
            )
        except FormatError as error:
            lines = indent(str(error), "  ")
            raise CommandError(
                f"The import was refused; nothing was written. Problems:\n{lines}"
            ) from error
        for warning in outcome.warnings:
            self.stderr.write(f"Warning: {warning}")
        self.stdout.write(
            f"ratings: {outcome.created_count} new, {outcome.updated_count} changed, "
            f"{outcome.unchanged_count} unchanged"
        )
        if outcome.new_raters:
            self.stdout.write(f"new annotators without a password: {', '.join(outcome.new_raters)}")
        if outcome.campaigns:
            self.stdout.write(
                f"campaigns: {', '.join(outcome.campaigns)}; "
                f"complete assignments submitted: {outcome.submitted_count}"
            )
        if not outcome.created_count + outcome.updated_count:
            self.stdout.write("Nothing changed: all of this is already there.")


def _content(path: Path) -> bytes:
    try:
        if path.stat().st_size > MAX_FILE_BYTES:
            raise CommandError(f"{path}: larger than {MAX_FILE_BYTES // 2**20} MB; split it")
        return path.read_bytes()
    except OSError as error:
        raise CommandError(f"{path}: {error.strerror}") from error
