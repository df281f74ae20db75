"""Uploads of features: checked by their names and sizes at once, read and stored in a job.

The files wait in the folder of their feature set, which goes with it.
"""

from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from typing import IO, Any, cast

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.db import transaction

from annotation.backends import made_files
from annotation.engine.corpus.formats.errors import FormatError, fault_of_file
from annotation.models import Dataset, User
from annotation.services.corpus.uploads import EXPANSION_LIMIT
from annotation.services.records.jobs import (
    Claim,
    beating,
    enqueue_jobs,
    fail_job,
    finish_job,
    progress_reporter,
)
from benchmarks.engine.features.reading import (
    Expected,
    FeatureRows,
    check_names,
    read_recordings,
)
from benchmarks.models import FeatureArray, FeatureSet
from benchmarks.services.feature_files import NamedFile, listed_names, names_of, unpacked
from benchmarks.services.features import (
    JOB_KIND,
    UPLOAD,
    FeaturesRequest,
    close_feature_set,
    delete_feature_set,
    folder_name,
    folder_of,
    insert_feature_set,
    is_refused_upload,
    lock_made_features,
    new_feature_set,
    record_feature_set,
    refuse_without_room,
    remove_left_files,
    room_for,
    stored_array,
)

# Unpacked arrays may take this many times the upload limit: half precision doubles in size when
# stored, and an .npz may be compressed.
UNPACKED_LIMITS = 4
SHOWN_PROBLEMS = 200


def start_upload(
    *,
    dataset: Dataset,
    request: FeaturesRequest,
    files: Iterable["UploadedFile[Any]"],
    key: str = "",
    actor: User,
) -> tuple[FeatureSet, list[int]]:
    """Keep uploaded files and queue their reading.

    Returns the set, which is empty until then, and the id of the job to send. Raises FormatError
    for what names and sizes show, ValidationError by field. An upload of the same name whose files
    were refused makes room.
    """
    uploads = list(files)
    byte_count = sum(file.size or 0 for file in uploads)
    if byte_count > settings.UPLOAD_LIMIT_MB << 20:
        words = f"at most {settings.UPLOAD_LIMIT_MB} MB; `manage.py features import` takes more"
        raise fault_of_file("", f"{byte_count >> 20} MB", words, field="size")
    remove_left_files()
    refuse_without_room(actor, byte_count)
    opened = [(str(file.name), file.file) for file in uploads if file.file is not None]
    names = listed_names(opened, _most_bytes(byte_count))
    check_names(names, Expected(names_of(dataset), request.seconds_per_row, key))
    same = FeatureSet.objects.filter(dataset=dataset, owner=actor, name=request.name.strip())
    for row in same.select_related("job"):
        if is_refused_upload(row):
            delete_feature_set(feature_set=row, actor=actor)
    feature_set = new_feature_set(dataset, request, actor)
    folder = folder_of(feature_set) / UPLOAD
    try:
        folder.mkdir(parents=True)
        for number, file in enumerate(uploads):
            with (folder / str(number)).open("wb") as copy:
                for chunk in file.chunks():
                    copy.write(chunk)
        made_files.keep(folder)
        with transaction.atomic():
            # Again under the lock: uploads at the same time would each see the room for itself.
            User.objects.select_for_update(no_key=True).get(pk=actor.pk)
            refuse_without_room(actor, byte_count)
            payload = {UPLOAD: [name for name, _ in opened], "key": key, "bytes": byte_count}
            job_ids = enqueue_jobs(
                kind=JOB_KIND, payload_by_key={feature_set.public_id: payload}, created_by=actor
            )
            feature_set.job_id = job_ids[0]
            insert_feature_set(feature_set)
            record_feature_set(feature_set, actor, "start", {"files": len(uploads)})
    except BaseException:
        made_files.forget(folder_name(feature_set))
        raise
    return feature_set, job_ids


def _most_bytes(byte_count: int) -> int:
    """How much files of so many bytes may unpack to."""
    most = UNPACKED_LIMITS * settings.UPLOAD_LIMIT_MB << 20
    return min(EXPANSION_LIMIT * byte_count, most)


def read_upload(claim: Claim, feature_set: FeatureSet) -> None:
    """Read and store uploaded files: all of them, or none where any has a fault."""
    folder = f"{folder_name(feature_set)}/{UPLOAD}"
    names = cast(list[str], claim.payload[UPLOAD])
    if not all(made_files.is_kept(f"{folder}/{number}") for number in range(len(names))):
        fail_job(claim=claim, error="The files are no longer kept; upload them again.")
        return
    byte_count = cast(int, claim.payload["bytes"])
    # Its own files count as stored until it is done.
    room = room_for(feature_set.owner) + byte_count
    expected = Expected(
        names_of(feature_set.dataset),
        feature_set.seconds_per_row,
        str(claim.payload["key"]),
        min(_most_bytes(byte_count), room),
    )
    try:
        with beating(claim) as is_lost, ExitStack() as stack:
            report = progress_reporter(claim, is_lost)
            opened = [
                (name, stack.enter_context(_opened(f"{folder}/{number}")))
                for number, name in enumerate(names)
            ]
            total_count = len(listed_names(opened, _most_bytes(byte_count)))
            done_count = 0

            def counted(files: Iterable[NamedFile]) -> Iterator[NamedFile]:
                nonlocal done_count
                for file in files:
                    report(done_count, total_count)
                    yield file
                    done_count += 1

            def keep(uid: str, rows: FeatureRows) -> FeatureArray:
                return stored_array(feature_set, uid, rows)

            arrays = list(read_recordings(counted(unpacked(opened)), expected, keep))
    except FormatError as error:
        _refuse(claim, feature_set, error)
        return
    _finish(claim, feature_set, arrays)
    made_files.forget(folder)


@contextmanager
def _opened(name: str) -> Iterator[IO[bytes]]:
    with made_files.local(name) as path, path.open("rb") as file:
        yield file


def _refuse(claim: Claim, feature_set: FeatureSet, error: FormatError) -> None:
    with transaction.atomic():
        fail_job(claim=claim, error="The files were refused; nothing was stored.")
        feature_set.notes = [str(problem) for problem in error.problems[:SHOWN_PROBLEMS]]
        feature_set.save(update_fields=["notes"])
        record_feature_set(feature_set, None, "refuse", {"problems": len(error.problems)})
    made_files.forget(folder_name(feature_set))


def _finish(claim: Claim, feature_set: FeatureSet, arrays: list[FeatureArray]) -> None:
    with transaction.atomic():
        # First the job: a worker that lost the claim writes nothing.
        finish_job(claim=claim, result={"arrays": len(arrays)})
        lock_made_features(feature_set)
        FeatureArray.objects.bulk_create(arrays)
        close_feature_set(feature_set)
        detail = {"attempt": claim.attempt, "arrays": len(arrays)}
        record_feature_set(feature_set, None, "upload", detail)
