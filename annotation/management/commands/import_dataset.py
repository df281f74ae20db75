"""Import one file or folder of annotations as a data set, or say what would come in."""

import json
from argparse import ArgumentParser
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn

from django.core.exceptions import ValidationError
from django.core.management.base import CommandError

from annotation.engine.corpus.formats.errors import FormatError, Problem
from annotation.engine.corpus.formats.registry import (
    available_formats,
    fitting_formats,
    recognised_format,
)
from annotation.management.command import CommandWithoutPages
from annotation.management.shown_work import ShownWork, shown_while
from annotation.models import User
from annotation.services.corpus.import_plan import ImportRefusedError
from annotation.services.corpus.imports import (
    ImportOutcome,
    ImportTarget,
    import_reading,
    read_files,
)

SHOWN_WARNINGS = 20
RECOGNISE = "auto"


class Command(CommandWithoutPages):
    help = "Import annotations: import_dataset FORMAT PATH --name NAME."

    def add_arguments(self, parser: ArgumentParser) -> None:
        formats = "; ".join(f"{item.name} ({item.title})" for item in available_formats().values())
        parser.add_argument(
            "format", help=f"{RECOGNISE} to recognise it from the files, or {formats}"
        )
        parser.add_argument("path", type=Path, help="the annotation file or folder")
        parser.add_argument("--name", required=True, help="name of the data set, new or known")
        parser.add_argument("--owner", help="username of its owner; without one it is shared")
        parser.add_argument("--dry-run", action="store_true", help="write nothing")
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: object, **options: Any) -> None:
        wants_json = options["json"]
        things = "steps of takes and traces"
        with shown_while("Reading the files", self.stderr, things=things) as work:
            outcome = self._outcome(options, work)
        if wants_json:
            self.stdout.write(json.dumps(outcome.to_dict(), ensure_ascii=False))
            return
        is_dry = ": dry run, nothing written" if outcome.is_dry_run else ""
        self.stdout.write(f"{options['name']}{is_dry}")
        counts = outcome.counts
        names = ("takes", "steps", "traces", "trace_steps", "events")
        sizes = [(name.replace("_", " "), getattr(counts, name)) for name in names]
        changes = [
            ("created", outcome.created),
            ("updated", outcome.updated),
            ("unchanged", outcome.unchanged),
            ("not in this file, kept", outcome.kept_count),
        ]
        self._print_table("", sizes)
        self._print_table("native labels", sorted(counts.native_labels.items()))
        self._print_table("derived", sorted(counts.derived.items()))
        self._print_table("takes and traces", changes)
        if outcome.warnings:
            self.stdout.write(f"  {len(outcome.warnings)} warnings")
        for warning in outcome.warnings[:SHOWN_WARNINGS]:
            self.stdout.write(f"    {warning.where}: {warning.message}")
        more = len(outcome.warnings) - SHOWN_WARNINGS
        if more > 0:
            self.stdout.write(f"    and {more} more (all of them with --json)")
        if not outcome.created + outcome.updated:
            self.stdout.write("Nothing changed: all of this is already there.")

    def _outcome(self, options: dict[str, Any], work: ShownWork) -> ImportOutcome:
        wants_json = options["json"]
        try:
            return _import(options, work)
        except (FormatError, ImportRefusedError) as error:
            self._fail("The import was refused; nothing was written.", error.problems, wants_json)
        except ValidationError as error:
            self._fail("; ".join(error.messages), (), wants_json)
        except CommandError as error:
            self._fail(str(error), (), wants_json)

    def _fail(self, message: str, problems: tuple[Problem, ...], wants_json: bool) -> NoReturn:
        if wants_json:
            listed = [item.to_dict() for item in problems]
            answer = {"error": message, "problems": listed}
            self.stdout.write(json.dumps(answer, ensure_ascii=False))
        raise CommandError("\n".join([message, *(f"  {item}" for item in problems)]))

    def _print_table(self, title: str, lines: list[tuple[str, int]]) -> None:
        if not lines:
            return
        if title:
            self.stdout.write(f"  {title}")
        for name, count in lines:
            self.stdout.write(f"    {name:<60} {count:>8,}")


def _import(options: dict[str, Any], work: ShownWork) -> ImportOutcome:
    formats = available_formats()
    if options["format"] == RECOGNISE:
        chosen = recognised_format(options["path"])
    elif options["format"] in formats:
        chosen = formats[options["format"]]
    else:
        names = ", ".join(formats)
        raise CommandError(f"There is no format {options['format']!r}. These exist: {names}.")
    owner = User.objects.filter(username=options["owner"]).first() if options["owner"] else None
    if options["owner"] and owner is None:
        raise CommandError(f"There is no account {options['owner']!r}.")
    target = ImportTarget(
        name=options["name"], format=chosen.name, owner=owner, is_shared=owner is None
    )
    try:
        reading = read_files(chosen, options["path"])
    except FormatError as error:
        fitting = [item.name for item in fitting_formats(options["path"])]
        if not fitting:
            raise
        hint = f"They can be read as {' and as '.join(fitting)}: import_dataset {fitting[0]} …"
        raise FormatError([*error.problems, replace(error.problems[0], sentence=hint)]) from error
    is_dry_run = options["dry_run"]
    return import_reading(reading, target=target, is_dry_run=is_dry_run, watch=work.watch)
