"""Write the current ratings as one long CSV table."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from annotation.backends.publishing import write_lines
from annotation.management.command import CommandWithoutPages
from annotation.management.shown_work import shown_while
from annotation.models import Campaign, Dataset
from annotation.selectors.figures.rating_export import (
    doubly_rated,
    export_lines,
    exportable_ratings,
)


class Command(CommandWithoutPages):
    help = "Write the current ratings as CSV: export_ratings [--dataset NAME] [--out FILE]."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--dataset", help="only this data set")
        parser.add_argument("--campaign", help="only this campaign")
        parser.add_argument("--out", type=Path, help="the file to write; else standard output")

    def handle(self, *args: object, **options: Any) -> None:
        dataset, campaign = options["dataset"], options["campaign"]
        try:
            ratings = exportable_ratings(
                None,
                dataset=None if dataset is None else str(dataset),
                campaign=None if campaign is None else str(campaign),
            )
        except Dataset.DoesNotExist as error:
            raise CommandError(f"There is no data set {dataset!r}.") from error
        except Campaign.DoesNotExist as error:
            raise CommandError(f"There is no campaign {campaign!r}.") from error
        campaigns = doubly_rated(ratings)
        if campaigns:
            raise CommandError(
                "Somebody answered the same question in several campaigns under one guideline "
                f"version; choose one with --campaign: {', '.join(campaigns)}."
            )
        if options["out"]:
            with shown_while("Writing the ratings", self.stderr, left="no file was left"):
                write_lines(export_lines(ratings), options["out"])
            return
        for line in export_lines(ratings):
            self.stdout.write(line, ending="")
