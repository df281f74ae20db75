"""Store, share and delete features of recordings."""

import hashlib
import shutil
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.db.models import F, QuerySet, Sum
from django.utils import timezone
from numpy.lib import format as npy

from annotation.backends import made_files
from annotation.backends.publishing import draft_of, publish
from annotation.engine.exceptions import NotNowError
from annotation.models import AT_WORK, Dataset, Job, JobStatus, User
from annotation.services.records.audit_log import record
from annotation.services.records.jobs import LostClaimError
from benchmarks.engine.features.reading import FLOAT_BYTES, FeatureRows
from benchmarks.models import UPLOADED, FeatureArray, FeatureSet
from benchmarks.services.batches import in_batches

FOLDER = "features"
# In the folder of a feature set, where uploaded files wait to be read.
UPLOAD = "upload"
# A folder without a row is that of an upload or import under way, or of one whose process died.
LONGEST_IMPORT_S = 24 * 3600
# Also the name of the Celery task.
JOB_KIND = "benchmarks.make_features"
# Stores the rows of a recording, by its uid.
Keep = Callable[[str, FeatureRows], FeatureArray]
MOST_SECONDS_PER_ROW = 60.0


@dataclass(frozen=True, slots=True)
class FeaturesRequest:
    """The name of a new feature set and the seconds of one row."""

    name: str
    seconds_per_row: float = 1.0
    is_shared: bool = False


class FeaturesAtWorkError(NotNowError):
    """The features are being made."""


def store_features(
    *,
    dataset: Dataset,
    request: FeaturesRequest,
    read: Callable[[Keep], Iterable[FeatureArray]],
    actor: User | None,
) -> FeatureSet:
    """Store the rows of all recordings that `read` hands to its argument, or none.

    Exceptions of `read` pass through, after everything that was written is removed.
    """
    remove_left_files()
    feature_set = new_feature_set(dataset, request, actor)
    try:
        rows = list(read(partial(stored_array, feature_set)))
        with transaction.atomic():
            insert_feature_set(feature_set)
            FeatureArray.objects.bulk_create(rows)
            close_feature_set(feature_set)
            record_feature_set(feature_set, actor, "upload", {"arrays": len(rows)})
    except BaseException:
        made_files.forget(folder_name(feature_set))
        raise
    return feature_set


def new_feature_set(
    dataset: Dataset, request: FeaturesRequest, actor: User | None, made_by: str = UPLOADED
) -> FeatureSet:
    """A checked set that is not saved yet; raises ValidationError by field."""
    name, seconds = request.name.strip(), request.seconds_per_row
    if not 0 < seconds <= MOST_SECONDS_PER_ROW:
        words = f"It is {seconds:g}; expected more than 0 and at most {MOST_SECONDS_PER_ROW:g}."
        raise ValidationError({"seconds_per_row": words})
    if not name or len(name) > 200:
        raise ValidationError({"name": "Give the features a name of at most 200 characters."})
    if FeatureSet.objects.filter(dataset=dataset, owner=actor, name=name).exists():
        raise _name_taken(name, dataset)
    return FeatureSet(
        name=name,
        dataset=dataset,
        owner=actor,
        is_shared=request.is_shared,
        seconds_per_row=seconds,
        made_by=made_by,
    )


def insert_feature_set(feature_set: FeatureSet) -> None:
    """Save a new set; raises ValidationError where its name was taken meanwhile."""
    try:
        with transaction.atomic():
            feature_set.save()
    except IntegrityError as error:
        raise _name_taken(feature_set.name, feature_set.dataset) from error


def _name_taken(name: str, dataset: Dataset) -> ValidationError:
    return ValidationError({"name": f"You have features {name!r} of {dataset.name} already."})


def folder_of(feature_set: FeatureSet) -> Path:
    return made_files.path_here(folder_name(feature_set))


def folder_name(feature_set: FeatureSet) -> str:
    return f"{FOLDER}/{feature_set.public_id}"


def remove_left_files() -> None:
    """Remove what a process left that was killed before its end, which no quota counts.

    Folders without a row, the whole folder of refused files, and files that were read already.
    """
    # In a storage everything is removed by who knows of it; what such a process left there stays.
    folders = {path.name: path for path in made_files.path_here(FOLDER).glob("*")}
    for names in in_batches(list(folders)):
        rows = FeatureSet.objects.filter(public_id__in=names).select_related("job")
        sets = {row.public_id: row for row in rows}
        for name in names:
            folder, feature_set = folders[name], sets.get(name)
            if feature_set is None:
                with suppress(FileNotFoundError):
                    if folder.stat().st_mtime < time.time() - LONGEST_IMPORT_S:
                        shutil.rmtree(folder, ignore_errors=True)
            elif is_refused_upload(feature_set):
                shutil.rmtree(folder, ignore_errors=True)
            elif feature_set.finished_at is not None:
                shutil.rmtree(folder / UPLOAD, ignore_errors=True)


def is_refused_upload(feature_set: FeatureSet) -> bool:
    """Whether the files were read and refused, which reading them again would not change."""
    job = feature_set.job
    is_failed = job is not None and job.status == JobStatus.FAILED
    return is_failed and feature_set.made_by == UPLOADED and bool(feature_set.notes)


def stored_array(feature_set: FeatureSet, uid: str, rows: FeatureRows) -> FeatureArray:
    """Write rows to their file and return its unsaved row; the first sets the set's width."""
    feature_set.width = feature_set.width or rows.shape[1]
    # A hash, since the name of a recording may contain anything.
    name = f"{hashlib.sha256(uid.encode()).hexdigest()[:24]}.npy"
    path = folder_of(feature_set) / name
    path.parent.mkdir(parents=True, exist_ok=True)
    # Published atomically: a worker that lost its claim may be writing the same file.
    with draft_of(path) as draft:
        with draft.open("wb") as file:
            # What `numpy.save` writes, without the whole array in memory.
            head = {"descr": "<f4", "fortran_order": False, "shape": rows.shape}
            npy.write_array_header_1_0(file, head)
            for block in rows.blocks:
                file.write(np.ascontiguousarray(block, dtype="<f4").data)
        publish(draft, path)
    with path.open("rb") as file:
        content_hash = hashlib.file_digest(file, "sha256").hexdigest()
    made_files.keep(path)
    return FeatureArray(
        feature_set=feature_set,
        recording=uid,
        rows=rows.shape[0],
        file=f"{folder_name(feature_set)}/{name}",
        content_hash=content_hash,
    )


def room_for(owner: User | None) -> int:
    """How many bytes of features may still be stored for an owner; None has the site's room alone.

    Uploads that wait to be read count with their files (four queries).
    """
    left = (settings.FEATURES_MB << 20) - _stored_bytes(FeatureSet.objects.all())
    if owner is None:
        return left
    own = FeatureSet.objects.filter(owner=owner)
    return min(left, (settings.FEATURES_MB_PER_PERSON << 20) - _stored_bytes(own))


def _stored_bytes(sets: QuerySet[FeatureSet]) -> int:
    arrays = FeatureArray.objects.filter(feature_set__in=sets)
    numbers = arrays.aggregate(sum=Sum(F("rows") * F("feature_set__width")))["sum"] or 0
    # Those that were refused have notes, and their files are gone.
    waiting = sets.filter(made_by=UPLOADED, finished_at__isnull=True, job__isnull=False, notes=[])
    payloads = waiting.values_list("job__payload", flat=True)
    return int(numbers) * FLOAT_BYTES + sum(int(row.get("bytes", 0)) for row in payloads)


def refuse_without_room(owner: User | None, byte_count: int) -> None:
    """Raise ValidationError where so many bytes more may not be stored for an owner."""
    left = room_for(owner)
    if byte_count > left:
        words = (
            f"They take {byte_count / 2**20:,.1f} MB, and {max(0, left) / 2**20:,.1f} MB are left:"
            f" features may take {settings.FEATURES_MB_PER_PERSON:,} MB for each person and"
            f" {settings.FEATURES_MB:,} MB on this site. Delete some that you no longer need."
        )
        raise ValidationError(words)


def close_feature_set(feature_set: FeatureSet) -> None:
    """Make a set final, with the hash of its content."""
    digest = hashlib.sha256(f"{feature_set.seconds_per_row:g} {feature_set.width}\n".encode())
    for uid, content_hash in feature_set.arrays.order_by("recording").values_list(
        "recording", "content_hash"
    ):
        digest.update(f"{uid}\t{content_hash}\n".encode())
    feature_set.content_hash, feature_set.finished_at = digest.hexdigest(), timezone.now()
    # No more: somebody may have shared it while it was made.
    feature_set.save(update_fields=["width", "notes", "content_hash", "finished_at"])


def lock_made_features(feature_set: FeatureSet) -> None:
    """Let nobody delete a set that is about to be final; raises LostClaimError if it is deleted."""
    if not FeatureSet.objects.select_for_update().filter(pk=feature_set.pk).exists():
        made_files.forget(folder_name(feature_set))
        raise LostClaimError(f"the data set of {feature_set} was deleted")


def record_feature_set(
    feature_set: FeatureSet, actor: User | None, action: str, detail: Mapping[str, object]
) -> None:
    subject = f"feature_set:{feature_set.public_id}"
    record(actor=actor, action=f"feature_set.{action}", subject=subject, detail=detail)


@transaction.atomic
def share_feature_set(*, feature_set: FeatureSet, is_shared: bool, actor: User | None) -> None:
    """Open the features to every researcher who may read the data set, or close them again."""
    changed = FeatureSet.objects.filter(pk=feature_set.pk).exclude(is_shared=is_shared)
    if changed.update(is_shared=is_shared):
        feature_set.is_shared = is_shared
        record_feature_set(feature_set, actor, "share" if is_shared else "unshare", {})


@transaction.atomic
def delete_feature_set(*, feature_set: FeatureSet, actor: User | None) -> None:
    """Delete features with their files; raises FeaturesAtWorkError while they are made."""
    # As a worker does that finishes: the job first, then the features.
    job_ids = [] if feature_set.job_id is None else [feature_set.job_id]
    job = Job.objects.select_for_update().filter(pk__in=job_ids).first()
    if not FeatureSet.objects.select_for_update().filter(pk=feature_set.pk).exists():
        return  # a second click came after the first had done it
    if job is not None and job.status in AT_WORK:
        raise FeaturesAtWorkError(f"{feature_set.name} is being made; cancel it first.")
    record_feature_set(feature_set, actor, "delete", {"name": feature_set.name})
    # Its files are removed by the signal in `apps`, which also sees deletions of data sets.
    feature_set.delete()
    if job is not None:
        Job.objects.filter(pk=job.pk).delete()


def forget_files_of(instance: FeatureSet, **_signal: object) -> None:
    """Remove the files of a set after its deletion, or its data set's, is committed."""
    transaction.on_commit(partial(made_files.forget, folder_name(instance)), robust=True)
