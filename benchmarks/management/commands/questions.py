"""Questions about mistakes from the command line: import the public files of EgoErrorVQA."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import CommandError

from annotation.engine.corpus.formats.errors import FormatError
from annotation.engine.corpus.formats.registry import available_formats
from annotation.management.command import CommandWithoutPages
from annotation.models import Dataset, User
from annotation.selectors.corpus.corpus import visible_datasets
from annotation.services.corpus.import_plan import ImportRefusedError
from annotation.services.corpus.imports import ImportTarget, import_reading, read_files
from benchmarks.selectors.vqa_rows import join_rows

FORMAT = "egoerrorvqa"
SHOWN_ROWS = 20


class Command(CommandWithoutPages):
    help = "Import the nine public files of EgoErrorVQA: questions import FOLDER."

    def add_arguments(self, parser: ArgumentParser) -> None:
        commands = parser.add_subparsers(dest="action", required=True)
        import_ = commands.add_parser("import", help="take in the folder json/")
        import_.add_argument("folder", type=Path, help="the folder, or one with json/ inside")
        import_.add_argument("--name", default="EgoErrorVQA", help="name of the data set")
        import_.add_argument("--owner", help="username of its owner; without one it is shared")
        import_.add_argument("--dry-run", action="store_true", help="write nothing")

    def handle(self, *args: Any, **options: Any) -> None:
        owner = User.objects.filter(username=options["owner"]).first() if options["owner"] else None
        if options["owner"] and owner is None:
            raise CommandError(f"There is no account {options['owner']!r}.")
        datasets = Dataset.objects.all() if owner is None else visible_datasets(owner)
        target = ImportTarget(options["name"], FORMAT, owner, is_shared=owner is None)
        try:
            reading = read_files(available_formats()[FORMAT], options["folder"])
            import_reading(reading, target=target, is_dry_run=options["dry_run"])
        except (FormatError, ImportRefusedError) as error:
            listed = "\n".join(f"  {item}" for item in error.problems)
            raise CommandError(f"Refused; nothing was written.\n{listed}") from error
        except ValidationError as error:
            raise CommandError("\n".join(error.messages)) from error
        for name, count in [*reading.derived.items(), *reading.native_labels.items()]:
            self.stdout.write(f"{name:<60} {count:>8,}")
        for warning in reading.warnings:
            self.stdout.write(f"{warning.where}: {warning.message}")
        for joined in join_rows(reading, datasets):
            said = f"{joined.dataset.name}: {joined.found_count} of {joined.row_count} rows"
            self.stdout.write(f"{said} are there once, with the same labels")
            for other in joined.others[:SHOWN_ROWS]:
                self.stdout.write(f"  {other}")
            if len(joined.others) > SHOWN_ROWS:
                self.stdout.write(f"  and {len(joined.others) - SHOWN_ROWS} more")
        if options["dry_run"]:
            self.stdout.write("Dry run: nothing was written.")
