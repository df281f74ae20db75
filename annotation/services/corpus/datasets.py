"""Open a data set to others, or delete it as long as nobody's work hangs on it."""

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path

from django.conf import settings
from django.db import transaction
from django.db.models import ProtectedError, Q

from annotation.backends import made_files
from annotation.backends.ingest_files import forget_dataset
from annotation.backends.video_uploads import folder_of
from annotation.engine.counting import counted
from annotation.engine.exceptions import NotNowError
from annotation.engine.videos.storage_prefix import is_storage_address
from annotation.models import (
    Assignment,
    Dataset,
    Event,
    Job,
    RatingEvent,
    Step,
    Take,
    Trace,
    TraceStep,
    User,
    Video,
    VideoIngest,
)
from annotation.services.records import audit_log

# What apps above hold of a data set, so that it cannot be deleted, in a sentence; "" for nothing.
HOLDERS: set[Callable[[Dataset], str]] = set()


class DatasetInUseError(NotNowError):
    """The data set cannot be deleted; the message says what hangs on it."""


def share_dataset(*, dataset: Dataset, is_shared: bool, actor: User) -> None:
    """Open the data set to every researcher of the site, or close it again."""
    with transaction.atomic():
        changed = Dataset.objects.filter(pk=dataset.pk).exclude(is_shared=is_shared)
        if not changed.update(is_shared=is_shared):
            return
        audit_log.record(
            actor=actor,
            action="dataset.share" if is_shared else "dataset.unshare",
            subject=f"dataset:{dataset.public_id}",
        )


def delete_dataset(*, dataset: Dataset, actor: User | None) -> None:
    """Delete the data set, its takes, traces and video links, and what the site made of them.

    Proxies, pictures and videos that runs made go with it; recordings that were linked stay.

    Raises `DatasetInUseError` when its traces have ratings or stand in a rater's queue, or when
    traces of another data set are read against its takes.
    """
    with transaction.atomic():
        locked = Dataset.objects.select_for_update().filter(pk=dataset.pk).first()
        if locked is None:
            return  # a second click came after the first had done it
        dataset = locked
        _refuse_if_used(dataset)
        detail = {"name": dataset.name, "format": dataset.format}
        subject = f"dataset:{dataset.public_id}"
        forget = partial(
            _forget_files, dataset.public_id, _generated_videos(dataset), _uploads_of(dataset)
        )
        try:
            # Delete from the leaves up, as steps are protected by the rows that point at them.
            TraceStep.objects.filter(trace__dataset=dataset).delete()
            events = Event.objects.filter(trace__dataset=dataset)
            events.filter(Q(target__isnull=False)).delete()
            events.delete()
            Trace.objects.filter(dataset=dataset).delete()
            Step.objects.filter(take__dataset=dataset).delete()
            Take.objects.filter(dataset=dataset).delete()
            ingests = VideoIngest.objects.filter(video__dataset=dataset)
            # A worker that is at one of them notices at its next beat.
            Job.objects.filter(pk__in=list(ingests.values_list("job_id", flat=True))).delete()
            dataset.delete()
        except ProtectedError as error:
            kinds = sorted(
                {str(item._meta.verbose_name_plural) for item in error.protected_objects}
            )
            raise DatasetInUseError(
                f"{dataset.name} is still used by {' and '.join(kinds)}."
            ) from error
        audit_log.record(actor=actor, action="dataset.delete", subject=subject, detail=detail)
        transaction.on_commit(forget, robust=True)


def _refuse_if_used(dataset: Dataset) -> None:
    rating_count = RatingEvent.objects.filter(assignment__trace__dataset=dataset).count()
    if rating_count:
        raise DatasetInUseError(
            f"{dataset.name} has {counted(rating_count, 'saved rating')}, so it cannot be deleted."
        )
    assignment_count = Assignment.objects.filter(trace__dataset=dataset).count()
    if assignment_count:
        raise DatasetInUseError(
            f"{dataset.name} has {counted(assignment_count, 'assignment')} of raters. "
            "Remove it from its campaigns first."
        )
    for why_held in HOLDERS:
        if reason := why_held(dataset):
            raise DatasetInUseError(reason)
    foreign = Trace.objects.filter(take__dataset=dataset).exclude(dataset=dataset)
    names = sorted(set(foreign.values_list("dataset__name", flat=True)))
    if names:
        raise DatasetInUseError(
            f"Traces of {', '.join(names)} have takes of {dataset.name} as their reference."
        )


def _generated_videos(dataset: Dataset) -> list[Path]:
    """The videos that the site itself made for the data set.

    They lie below the media folder, and only their folder is not absolute.
    """
    address = dataset.video_folder
    if not address or is_storage_address(address) or Path(address).is_absolute():
        return []
    media = Path(settings.MEDIA_ROOT).resolve()
    folder = (media / address).resolve()
    if folder == media or not folder.is_relative_to(media):
        return []
    # Uploads lie in a folder of their own.
    names = Video.objects.filter(dataset=dataset, folder="").values_list("path", flat=True)
    paths = [(folder / name).resolve() for name in names]
    return [path for path in paths if path.is_relative_to(folder) and path != folder]


def _uploads_of(dataset: Dataset) -> list[tuple[str, str]]:
    """Folder and name of the videos that people uploaded."""
    uploads = Video.objects.filter(dataset=dataset).exclude(folder="")
    return list(uploads.values_list("folder", "path"))


def _forget_files(dataset_id: str, video_files: list[Path], uploads: list[tuple[str, str]]) -> None:
    forget_dataset(dataset_id)
    # A data set that was published from another shows its uploads.
    for place, name in uploads:
        if not Video.objects.filter(folder=place, path=name).exists():
            made_files.forget(f"{place}/{name}")
    if not Video.objects.filter(folder=folder_of(dataset_id)).exists():
        made_files.forget(folder_of(dataset_id))
    media = Path(settings.MEDIA_ROOT).resolve()
    for path in video_files:
        made_files.forget(str(path.relative_to(media)))
    for folder in {path.parent for path in video_files}:
        # One with files in it stays: a run that is not finished still works there.
        with suppress(OSError):
            folder.rmdir()
