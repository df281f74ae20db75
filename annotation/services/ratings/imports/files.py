"""Ratings from files: read, shown before anything is written, and brought in."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from django.utils import timezone

from annotation.engine.corpus.formats.errors import fault_of_file
from annotation.engine.ratings.changes import is_in_future
from annotation.engine.ratings.columns import VERSION_CHARACTERS, CellError, read_time
from annotation.engine.ratings.files import named_raters, read_rating_files
from annotation.engine.ratings.table import TableDefaults
from annotation.models import User
from annotation.services.corpus.uploads import (
    FilesRequest,
    Upload,
    UploadPreview,
    discard_upload,
    preview_of,
)
from annotation.services.ratings.imports.tables import RatingImportOutcome, import_ratings

RATERS_CHARACTERS = 20_000


@dataclass(frozen=True, slots=True)
class RatingRequest(FilesRequest):
    """What comes with the files; everything may be empty.

    `raters` is a user name for all workbooks, or lines FILE=NAME. Data set (for a workbook, which
    names it as it likes, always), guideline version and time count where the files name none.
    """

    purpose: ClassVar[str] = "ratings"
    dataset: str = ""
    campaign: str = ""
    guideline_version: str = ""
    rated_at: str = ""
    raters: str = ""
    changes_submitted: bool = False

    def defaults(self) -> TableDefaults:
        """Raises `FormatError` where the time cannot be read or lies in the future."""
        wrong = ""
        time = None
        try:
            time = read_time(self.rated_at) if self.rated_at else None
        except CellError as error:
            wrong = str(error)
        if time is not None and is_in_future(time, now=timezone.now()):
            wrong = "a time that is not in the future"
        if wrong:
            raise fault_of_file("", self.rated_at, wrong, field="rated_at")
        if len(self.guideline_version) > VERSION_CHARACTERS:
            expected = f"at most {VERSION_CHARACTERS} characters"
            raise fault_of_file("", self.guideline_version, expected, field="guideline_version")
        return TableDefaults(self.dataset, self.guideline_version, time)


def import_rating_files(
    *,
    paths: Sequence[Path],
    request: RatingRequest,
    actor: User | None = None,
    is_dry_run: bool = False,
) -> RatingImportOutcome:
    """Bring in the files, or say what bringing them in would do; raises `FormatError`."""
    return import_ratings(
        read_rating_files(
            paths,
            raters=named_raters(request.raters),
            defaults=request.defaults(),
            now=timezone.now(),
        ),
        campaign_name=request.campaign or None,
        changes_submitted=request.changes_submitted,
        actor=actor,
        is_dry_run=is_dry_run,
    )


def preview_rating_upload(
    *, upload: Upload[RatingRequest], user: User
) -> UploadPreview[RatingImportOutcome]:
    """What confirming the upload would do; nothing is written."""
    return preview_of(
        lambda: import_rating_files(
            paths=[upload.path], request=upload.request, actor=user, is_dry_run=True
        )
    )


def confirm_rating_upload(*, upload: Upload[RatingRequest], user: User) -> RatingImportOutcome:
    """Bring in the upload and drop its files; raises `FormatError`."""
    outcome = import_rating_files(paths=[upload.path], request=upload.request, actor=user)
    discard_upload(user=user, upload_id=upload.upload_id)
    return outcome
