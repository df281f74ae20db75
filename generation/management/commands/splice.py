"""Replace parts of a recording by clips; the rest stays identical, bit for bit."""

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from annotation.backends.media.exceptions import VideoError
from annotation.management.command import CommandWithoutPages
from annotation.management.shown_work import shown_while
from generation.backends.video.checking.expected import Thoroughness
from generation.backends.video.edits import ClipSource, Edit
from generation.backends.video.exceptions import VerificationError
from generation.backends.video.splicing.splice import SpliceOptions, splice

NO_CLIP = "-"


class Command(CommandWithoutPages):
    help = (
        "Splice clips into a recording: splice SOURCE --replace START END CLIP ... --out FILE."
        " Times are seconds from the first frame; CLIP - only cuts."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("source", type=Path, help="the recording")
        parser.add_argument(
            "--replace",
            nargs=3,
            action="append",
            required=True,
            metavar=("START", "END", "CLIP"),
            help="replace START to END by CLIP (a file, or - for none); can be given several times",
        )
        parser.add_argument("--out", type=Path, required=True, help="the MP4 file to write")
        parser.add_argument("--cross-fade", type=float, default=0.0, metavar="SECONDS")
        parser.add_argument(
            "--verify",
            choices=list(Thoroughness),
            default=Thoroughness.BORDERS,
            help="how much of the result is decoded (packets are always all compared):"
            " the encoded parts and their neighbours, or every frame, compared with its original",
        )
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: object, **options: Any) -> None:
        try:
            edits = []
            for start, end, clip in options["replace"]:
                try:
                    start_s, end_s = float(start), float(end)
                except ValueError as error:
                    raise VideoError(f"{start} {end}: expected two times in seconds") from error
                clips = () if clip == NO_CLIP else (ClipSource(Path(clip)),)
                edits.append(Edit(start_s, end_s, clips))
            with shown_while("Splicing", self.stderr, left="no file was left"):
                result = splice(
                    options["source"],
                    edits,
                    options["out"],
                    SpliceOptions(
                        cross_fade_s=options["cross_fade"],
                        thoroughness=Thoroughness(options["verify"]),
                    ),
                )
        except (VideoError, VerificationError) as error:
            if options["json"]:
                self.stdout.write(json.dumps({"error": str(error)}))
            raise CommandError(str(error)) from error
        if options["json"]:
            self.stdout.write(json.dumps(result.to_dict(), ensure_ascii=False))
            return
        seconds = sum(result.seconds.values())
        self.stdout.write(
            f"{result.path}: {result.frame_count} frames ({result.duration_s:.3f} s) in"
            f" {seconds:.2f} s; {result.copied_count} copied, {result.encoded_count} encoded"
        )
        for reason in result.reasons:
            self.stdout.write(f"  re-encoded because {reason}")
        for check in result.verification.checks:
            self.stdout.write(f"  {check.name}: {check.seen}")
