"""Write the finished segments of a round as a file of any format."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from annotation.backends.publishing import draft_of, publish
from annotation.engine.corpus.formats.errors import FormatError
from annotation.management.command import CommandWithoutPages
from annotation.management.shown_work import shown_while
from segments.formats.exchange import Settings, segment_formats
from segments.management.rounds import add_round_arguments, opened_rounds
from segments.selectors.reading import MixedSchemesError
from segments.services.export import (
    SegmentExport,
    SegmentExportError,
    UnknownPersonError,
    export_segments,
)


class Command(CommandWithoutPages):
    help = (
        "Write the finished segments of a round: export_segments --campaign NAME --round N"
        " [--format FORMAT] --out FILE."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_round_arguments(parser)
        parser.add_argument(
            "--format", choices=list(segment_formats()), default="piev", help="default: piev"
        )
        parser.add_argument(
            "--out", type=Path, required=True,
            help="the file to write; an archive for formats of one recording",
        )  # fmt: skip
        parser.add_argument("--person", default="", help="only the segments of this code")
        parser.add_argument(
            "--rate", type=float, help="frames per second, where a recording's are not known"
        )
        parser.add_argument(
            "--original", type=Path,
            help="the file that the segments came from: what was not changed is written as there",
        )  # fmt: skip

    def handle(self, *args: object, **options: Any) -> None:
        rounds = opened_rounds(options)
        if len(rounds) > 1:
            raise CommandError("The campaign has several rounds: choose one with --round.")
        form, settings = segment_formats()[options["format"]], Settings(rate=options["rate"])
        out: Path = options["out"]
        try:
            with shown_while("Writing the segments", self.stderr, left="no file was left"):
                original = form.read(options["original"], settings) if options["original"] else None
                export = SegmentExport(form, settings, original, options["person"])
                with draft_of(out) as draft:
                    with draft.open("wb") as file:
                        written = export_segments(rounds[0], export, file)
                    publish(draft, out)
        except (FormatError, MixedSchemesError, SegmentExportError, UnknownPersonError) as error:
            raise CommandError(str(error)) from error
        except OSError as error:
            raise CommandError(f"{out} cannot be written: {error}") from error
        for note in written.notes:
            self.stderr.write(note)
