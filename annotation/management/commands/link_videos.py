"""Link the recordings of a data set to the video files of a folder or of an object storage."""

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from annotation.engine.counting import counted
from annotation.launch import launch_ingest
from annotation.management.command import CommandWithoutPages
from annotation.management.shown_work import shown_while
from annotation.models import Dataset
from annotation.services.videos.linking import FileNote, VideoLinkError, link_videos


class Command(CommandWithoutPages):
    help = "Check and link videos: link_videos NAME --folder FOLDER [--pattern PATTERN]."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", help="name of the data set")
        parser.add_argument(
            "--folder", required=True, help="where the videos are: a folder, or s3://bucket/prefix"
        )
        parser.add_argument(
            "--pattern", help="such as {stem}.mp4 or {scenario}/{stem}.MP4; kept when not given"
        )
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def handle(self, *args: object, **options: Any) -> None:
        try:
            dataset = Dataset.objects.filter(name=options["name"]).first()
            if dataset is None:
                raise VideoLinkError(f"There is no data set {options['name']!r}.")
            pattern = options["pattern"] or dataset.video_pattern
            with shown_while("Looking for files", self.stderr, things="recordings") as work:
                report = link_videos(
                    dataset=dataset, folder=options["folder"], pattern=pattern, watch=work.watch
                )
            launch_ingest(dataset=dataset, actor=None)
        except VideoLinkError as error:
            if options["json"]:
                self.stdout.write(json.dumps({"error": str(error), "problems": []}))
            raise CommandError(str(error)) from error
        if options["json"]:
            self.stdout.write(json.dumps(report.to_dict(), ensure_ascii=False))
            return
        self.stdout.write(f"{counted(len(report.linked), 'recording')} linked")
        self._print_notes("without a file", report.missing)
        self._print_notes("refused", report.refused)
        self._print_notes("warnings", report.warnings)

    def _print_notes(self, title: str, notes: tuple[FileNote, ...]) -> None:
        if notes:
            self.stdout.write(f"{len(notes)} {title}")
        for note in notes:
            self.stdout.write(f"  {note.stem} ({note.path}): {note.message}")
