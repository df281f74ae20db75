"""Bring in ratings from tables and workbooks: all of them or, on any problem, nothing."""

import json
from argparse import ArgumentParser
from pathlib import Path
from textwrap import indent
from typing import Any

from django.core.management.base import CommandError

from annotation.engine.corpus.formats.errors import FormatError
from annotation.management.command import CommandWithoutPages
from annotation.management.shown_work import shown_while
from annotation.services.ratings.imports.files import RatingRequest, import_rating_files


class Command(CommandWithoutPages):
    help = (
        "Import ratings: import_ratings FILE... Files are the table that export_ratings writes, or"
        " workbooks of the annotation template, .xlsx or .csv, one per rater."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("files", type=Path, nargs="+", help="the files, or folders of them")
        parser.add_argument("--campaign", default="", help="put new ratings into this campaign")
        parser.add_argument(
            "--rater",
            action="append",
            default=[],
            help="who filled in the workbooks, or FILE=NAME for each; else a column Rater or the"
            " file's name says it",
        )
        parser.add_argument(
            "--dataset", default="", help="the data set of workbooks, and of rows that name none"
        )
        parser.add_argument(
            "--guideline", default="", help="the guideline version of ratings that name none"
        )
        parser.add_argument(
            "--rated-at",
            default="",
            help="when ratings were given that say no time, such as 2026-01-31T09:30:00+00:00",
        )
        parser.add_argument(
            "--change-submitted",
            action="store_true",
            help="change answers also where their rater has submitted the trace",
        )
        parser.add_argument("--dry-run", action="store_true", help="write nothing")
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: object, **options: Any) -> None:
        request = RatingRequest(
            dataset=options["dataset"],
            campaign=options["campaign"],
            guideline_version=options["guideline"],
            rated_at=options["rated_at"],
            raters="\n".join(options["rater"]),
            changes_submitted=options["change_submitted"],
        )
        is_dry_run = options["dry_run"]
        try:
            with shown_while("Reading and checking the ratings", self.stderr):
                outcome = import_rating_files(
                    paths=options["files"], request=request, is_dry_run=is_dry_run
                )
        except FormatError as error:
            message = "The import was refused; nothing was written."
            if options["json"]:
                problems = [item.to_dict() for item in error.problems]
                self.stdout.write(json.dumps({"error": message, "problems": problems}))
            raise CommandError(f"{message} Problems:\n{indent(str(error), '  ')}") from error
        if options["json"]:
            self.stdout.write(json.dumps(outcome.to_dict(), ensure_ascii=False))
            return
        for warning in outcome.warnings:
            where = f"{warning.where}: " if warning.where else ""
            self.stderr.write(f"Warning: {where}{warning.message}")
        if is_dry_run:
            self.stdout.write("Dry run, nothing written.")
        for source in outcome.sources:
            name = f"{source.file}, sheet {source.sheet}" if source.sheet else source.file
            self.stdout.write(
                f"{name}: {source.rating_count:,} ratings of {source.trace_count:,} traces by "
                f"{', '.join(source.raters) or 'nobody'}"
            )
        self.stdout.write(
            f"ratings: {outcome.created_count} new, {outcome.updated_count} changed, "
            f"{outcome.unchanged_count} unchanged"
        )
        if outcome.new_raters:
            self.stdout.write(f"new annotators without a password: {', '.join(outcome.new_raters)}")
        if outcome.campaigns:
            names = ", ".join(item.name for item in outcome.campaigns)
            submitted = (
                ""
                if outcome.submitted_count is None
                else f"; complete assignments submitted: {outcome.submitted_count}"
            )
            self.stdout.write(f"campaigns: {names}{submitted}")
        if not outcome.has_changed:
            self.stdout.write("Nothing changed: all of this is already there.")
