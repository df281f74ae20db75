"""Ratings from files: read, shown before anything is written, and brought in."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from django.core.files.uploadedfile import UploadedFile
from django.utils import timezone

from annotation.engine.formats.errors import FormatError, Problem, problem
from annotation.engine.rating_changes import is_to_come
from annotation.engine.rating_columns import VERSION_CHARACTERS, CellError, read_time
from annotation.engine.rating_files import named_raters, read_rating_files
from annotation.engine.rating_table import Untold
from annotation.models import User
from annotation.services.rating_import import RatingImportOutcome, import_ratings
from annotation.services.uploads import (
    RATINGS,
    change_asked,
    discard_upload,
    get_kept_files,
    keep_files,
)

RATERS_CHARACTERS = 20_000
# A table of another kind is wrong in every row; nobody reads more than this many of its faults.
SHOWN_PROBLEMS = 200


@dataclass(frozen=True, slots=True)
class RatingRequest:
    """What is told beside the files; everything may be empty.

    `raters` is a user name for all workbooks, or lines FILE=NAME. Data set (for a workbook, which
    names it as it likes, always), guideline version and time count where the files tell none.
    """

    dataset: str = ""
    campaign: str = ""
    guideline_version: str = ""
    rated_at: str = ""
    raters: str = ""
    changes_submitted: bool = False

    def untold(self) -> Untold:
        """Raises `FormatError` where the time is none, or has not come yet."""
        wrong = ""
        time = None
        try:
            time = read_time(self.rated_at) if self.rated_at else None
        except CellError as error:
            wrong = str(error)
        if time is not None and is_to_come(time, now=timezone.now()):
            wrong = "none in the future"
        if wrong:
            raise _refused("rated_at", self.rated_at, wrong)
        if len(self.guideline_version) > VERSION_CHARACTERS:
            expected = f"at most {VERSION_CHARACTERS} characters"
            raise _refused("guideline_version", self.guideline_version, expected)
        return Untold(self.dataset, self.guideline_version, time)


def _refused(field: str, value: str, expected: str) -> FormatError:
    return FormatError([problem(file="", place="", field=field, value=value, expected=expected)])


@dataclass(frozen=True, slots=True)
class RatingPreview:
    """What would come in; `outcome` is None where it may not, for the reasons in `problems`.

    `hidden_count` problems are not among these, which are the first `SHOWN_PROBLEMS`.
    """

    outcome: RatingImportOutcome | None = None
    problems: tuple[Problem, ...] = ()
    hidden_count: int = 0


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
            untold=request.untold(),
            now=timezone.now(),
        ),
        campaign_name=request.campaign or None,
        changes_submitted=request.changes_submitted,
        actor=actor,
        is_dry_run=is_dry_run,
    )


@dataclass(frozen=True, slots=True)
class RatingUpload:
    """Files of ratings that wait for a confirmation; `path` is the file, or the folder of them."""

    upload_id: str
    request: RatingRequest
    path: Path
    file_names: tuple[str, ...]


def store_rating_upload(
    *, user: User, files: Iterable["UploadedFile[Any]"], request: RatingRequest
) -> RatingUpload:
    """Keep the files, archives unpacked; raises `UploadRefusedError` as `keep_files` does."""
    upload_id = keep_files(user=user, files=files, purpose=RATINGS, asked=asdict(request))
    return get_rating_upload(user=user, upload_id=upload_id)


def get_rating_upload(*, user: User, upload_id: str) -> RatingUpload:
    kept = get_kept_files(user=user, upload_id=upload_id, purpose=RATINGS)
    return RatingUpload(upload_id, RatingRequest(**kept.asked), kept.path, kept.file_names)


def ask_anew(*, user: User, upload: RatingUpload, request: RatingRequest) -> RatingUpload:
    """Tell something else beside the same files."""
    change_asked(user=user, upload_id=upload.upload_id, purpose=RATINGS, asked=asdict(request))
    return replace(upload, request=request)


def preview_rating_upload(*, upload: RatingUpload, user: User) -> RatingPreview:
    """What confirming the upload would do; nothing is written."""
    try:
        return RatingPreview(
            outcome=import_rating_files(
                paths=[upload.path], request=upload.request, actor=user, is_dry_run=True
            )
        )
    except FormatError as error:
        hidden_count = max(0, len(error.problems) - SHOWN_PROBLEMS)
        return RatingPreview(problems=error.problems[:SHOWN_PROBLEMS], hidden_count=hidden_count)


def confirm_rating_upload(*, upload: RatingUpload, user: User) -> RatingImportOutcome:
    """Bring in the upload and drop its files; raises `FormatError`."""
    outcome = import_rating_files(paths=[upload.path], request=upload.request, actor=user)
    discard_upload(user=user, upload_id=upload.upload_id)
    return outcome
