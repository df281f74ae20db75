"""Say what an upload would bring in, every problem included, before anything is written."""

from dataclasses import dataclass

from annotation.engine.corpus.formats.errors import FormatError, Problem
from annotation.engine.corpus.formats.registry import Format, available_formats, fitting_formats
from annotation.engine.corpus.procedure import ReadingWarning, Take, Trace
from annotation.models import User
from annotation.services.corpus.import_plan import ImportRefusedError
from annotation.services.corpus.imports import (
    ImportOutcome,
    ImportTarget,
    ReadingCounts,
    count_reading,
    import_reading,
    read_files,
)
from annotation.services.corpus.uploads import Upload, UploadRequest, discard_upload

SHOWN_ROWS = 100


@dataclass(frozen=True, slots=True)
class ImportPreview:
    """What would come in. Lists are cut to `SHOWN_ROWS`; counts are whole.

    `counts` is None when the files could not be read, and `fitting` are the formats that could;
    `outcome` is None when they may not come in.
    """

    counts: ReadingCounts | None = None
    outcome: ImportOutcome | None = None
    problems: tuple[Problem, ...] = ()
    fitting: tuple[Format, ...] = ()
    takes: tuple[Take, ...] = ()
    traces: tuple[Trace, ...] = ()
    warnings: tuple[ReadingWarning, ...] = ()


def _format_of(upload: Upload[UploadRequest]) -> Format:
    return available_formats()[upload.request.format]


def _target_of(upload: Upload[UploadRequest], user: User) -> ImportTarget:
    request = upload.request
    return ImportTarget(request.dataset_name, request.format, user, request.is_shared)


def preview_upload(*, upload: Upload[UploadRequest], user: User) -> ImportPreview:
    """What confirming the upload would do; nothing is written."""
    try:
        reading = read_files(_format_of(upload), upload.path)
    except FormatError as error:
        return ImportPreview(problems=error.problems, fitting=fitting_formats(upload.path))
    problems: tuple[Problem, ...] = ()
    outcome = None
    try:
        outcome = import_reading(
            reading, target=_target_of(upload, user), actor=user, is_dry_run=True
        )
    except (FormatError, ImportRefusedError) as error:
        problems = error.problems
    return ImportPreview(
        counts=count_reading(reading),
        outcome=outcome,
        problems=problems,
        takes=reading.takes[:SHOWN_ROWS],
        traces=reading.traces[:SHOWN_ROWS],
        warnings=reading.warnings,
    )


def confirm_upload(*, upload: Upload[UploadRequest], user: User) -> ImportOutcome:
    """Import the upload and drop its files; raises as reader and import do."""
    reading = read_files(_format_of(upload), upload.path)
    outcome = import_reading(reading, target=_target_of(upload, user), actor=user)
    discard_upload(user=user, upload_id=upload.upload_id)
    return outcome
