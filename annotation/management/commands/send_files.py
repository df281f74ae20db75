"""Send what the site has made to the object storage that MADE_FILES names."""

from typing import Any

from django.core.management.base import CommandError

from annotation.backends import made_files
from annotation.engine.counting import counted
from annotation.management.command import CommandWithoutPages
from annotation.management.shown_work import shown_while
from annotation.services.videos.sending import send_made_files


class Command(CommandWithoutPages):
    help = (
        "Send everything below MEDIA_ROOT to the storage of MADE_FILES; it stays below MEDIA_ROOT"
        " too. What was sent before is not sent again."
    )

    def handle(self, *args: object, **options: Any) -> None:
        where = made_files.place()
        if where is None:
            raise CommandError("MADE_FILES is not set; expected s3://bucket/prefix.")
        left = "what was sent stays; run the same command again to continue"
        try:
            with shown_while("Looking for files", self.stderr, things="files", left=left) as work:
                file_count, sent_count = send_made_files(watch=work.watch)
        except OSError as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"{counted(file_count, 'file')} in {where}, {sent_count:,} sent now")
