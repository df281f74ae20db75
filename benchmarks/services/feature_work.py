"""Compute features of a data set's linked recordings: start, cancel, resume, and the work itself.

The array of each recording is stored under the claim, so that a worker that dies loses no more than
the recording that it was working on.
"""

from collections.abc import Sequence
from functools import partial
from typing import cast

import av
import numpy as np
from django.core.exceptions import ValidationError
from django.db import transaction

from annotation.backends import made_files
from annotation.backends.media.exceptions import VideoError
from annotation.backends.media.frame_index import read_frame_index
from annotation.backends.media.memory import memory_released
from annotation.backends.media.paced_pictures import paced_pictures, row_count
from annotation.models import Dataset, User, Video
from annotation.services.records.jobs import (
    Claim,
    LostClaimError,
    Progress,
    beating,
    cancel_jobs,
    enqueue_jobs,
    extend_lease,
    fail_job,
    finish_job,
    progress_reporter,
    requeue_jobs,
    work_on_jobs,
)
from annotation.services.videos.local_videos import VideoFileError, local_file
from benchmarks.engine.features.extractor import Extractor, Row, extractors
from benchmarks.engine.features.reading import FeatureRows
from benchmarks.models import FeatureSet
from benchmarks.selectors.features import recordings_of
from benchmarks.services.feature_uploads import read_upload
from benchmarks.services.features import (
    JOB_KIND,
    UPLOAD,
    FeaturesRequest,
    close_feature_set,
    folder_name,
    folder_of,
    insert_feature_set,
    lock_made_features,
    new_feature_set,
    record_feature_set,
    refuse_without_room,
    stored_array,
)
from generation.backends.exceptions import CancelledError

SECONDS_PER_ROW = 1.0


@transaction.atomic
def start_features(
    *,
    dataset: Dataset,
    name: str,
    extractor: str,
    is_shared: bool = False,
    actor: User | None,
    recordings: Sequence[str] = (),
) -> tuple[FeatureSet, list[int]]:
    """Queue the features of these recordings, by uid, or of every linked one.

    Returns the set, which is empty until the job is done, and the id of the job to send. Raises
    ValidationError by field.
    """
    chosen = usable_extractor(extractor)
    if not any(row.videos for row in recordings_of(dataset).values()):
        words = f"{dataset.name} has no linked video; link its videos first."
        raise ValidationError({"dataset": words})
    refuse_without_room(actor, 0)
    feature_set = new_feature_set(
        dataset, FeaturesRequest(name, SECONDS_PER_ROW, is_shared), actor, made_by=chosen.made_by
    )
    job_ids = enqueue_jobs(
        kind=JOB_KIND,
        payload_by_key={
            feature_set.public_id: {"extractor": extractor, "recordings": list(recordings)}
        },
        created_by=actor,
    )
    feature_set.job_id = job_ids[0]
    insert_feature_set(feature_set)
    record_feature_set(feature_set, actor, "start", {"extractor": chosen.made_by})
    return feature_set, job_ids


def usable_extractor(name: str) -> Extractor:
    """An extractor that is installed; raises ValidationError."""
    chosen = extractors().get(name)
    if chosen is None:
        known = ", ".join(extractors())
        words = f"There is no extractor {name!r}; expected {known}."
        raise ValidationError({"extractor": words})
    if reason := chosen.missing():
        raise ValidationError({"extractor": reason})
    return chosen


@transaction.atomic
def cancel_features(*, feature_set: FeatureSet, actor: User | None) -> int:
    """Stop computing; arrays that are stored stay. Returns the number of stopped jobs."""
    stopped = cancel_jobs(job_ids=[feature_set.job_id] if feature_set.job_id else [])
    if stopped:
        record_feature_set(feature_set, actor, "cancel", {})
    return stopped


@transaction.atomic
def resume_features(*, feature_set: FeatureSet, actor: User | None) -> list[int]:
    """Resume what was cancelled or has failed; returns the ids of the jobs to send."""
    job_ids = requeue_jobs(job_ids=[feature_set.job_id] if feature_set.job_id else [])
    if job_ids:
        record_feature_set(feature_set, actor, "resume", {})
    return job_ids


def make_features(*, job_ids: Sequence[int], watch: Progress | None = None) -> None:
    """Make the features behind these jobs; safe to call twice with the same ids.

    `watch` is told of the progress too; it raises LostClaimError to have the work stopped, or
    CancelledError to have it cancelled.
    """
    work_on_jobs(job_ids=job_ids, handler=partial(_work, watch=watch))


def _work(claim: Claim, watch: Progress | None) -> None:
    feature_set = FeatureSet.objects.select_related("dataset").filter(job_id=claim.job_id).first()
    if feature_set is None:
        finish_job(claim=claim, result={"skipped": "the features were deleted"})
        return
    # Whoever was killed while it wrote an array left its draft, which counts nowhere.
    for leftover in folder_of(feature_set).glob(".*.part"):
        leftover.unlink(missing_ok=True)
    if UPLOAD in claim.payload:
        read_upload(claim, feature_set)
        return
    extractor = extractors().get(str(claim.payload["extractor"]))
    reason = "This installation has no such extractor." if extractor is None else ""
    if extractor is not None and extractor.made_by != feature_set.made_by:
        reason = f"The extractor is {extractor.made_by} by now; make the features anew."
    if extractor is None or reason or (reason := extractor.missing()):
        fail_job(claim=claim, error=reason)
        return
    try:
        with beating(claim) as is_lost:
            report = progress_reporter(claim, is_lost, watch)
            notes = _make_missing(claim, feature_set, extractor, report)
    except CancelledError as error:
        cancel_features(feature_set=feature_set, actor=None)
        raise LostClaimError(str(error)) from error
    if not feature_set.arrays.exists():
        fail_job(claim=claim, error="No recording could be read. " + " ".join(notes))
        return
    with transaction.atomic():
        # First the job: a worker that lost the claim writes nothing.
        finish_job(claim=claim, result={"arrays": feature_set.arrays.count()})
        lock_made_features(feature_set)
        feature_set.notes = notes
        close_feature_set(feature_set)
        detail = {"attempt": claim.attempt, "notes": len(notes)}
        record_feature_set(feature_set, None, "finish", detail)


def _make_missing(
    claim: Claim, feature_set: FeatureSet, extractor: Extractor, report: Progress
) -> list[str]:
    """Compute and store the missing arrays; returns notes on recordings that have none."""
    done_uids = set(feature_set.arrays.values_list("recording", flat=True))
    videos, notes = _videos_of(feature_set.dataset)
    if wanted := set(cast("list[str]", claim.payload.get("recordings", []))):
        notes = [f"Computed for {len(wanted)} of its recordings alone: the others were not wanted."]
        videos = {uid: video for uid, video in videos.items() if uid in wanted}
    counts = {uid: row_count(video.duration_s, SECONDS_PER_ROW) for uid, video in videos.items()}
    total_count = sum(counts.values())
    done_count = sum(count for uid, count in counts.items() if uid in done_uids)
    for uid, video in videos.items():
        if uid in done_uids:
            continue
        try:
            rows: list[Row] = []
            with memory_released(), local_file(video) as path:
                pictures = paced_pictures(
                    path,
                    read_frame_index(path),
                    SECONDS_PER_ROW,
                    extractor.pictures_per_row,
                    extractor.size,
                )
                for row in extractor.rows(pictures):
                    rows.append(row)
                    report(done_count + min(len(rows), counts[uid]), total_count)
        # A broken file is noted for the researcher and does not stop the others.
        except (VideoError, VideoFileError, OSError, av.FFmpegError) as error:
            reason = error.strerror if isinstance(error, OSError | av.FFmpegError) else str(error)
            notes.append(f"{uid} ({video.path}): {reason or type(error).__name__}.")
        else:
            stored = stored_array(feature_set, uid, FeatureRows.of(np.stack(rows)))
            with transaction.atomic():
                extend_lease(claim=claim)
                same = FeatureSet.objects.filter(pk=feature_set.pk)
                if not same.update(width=feature_set.width):
                    made_files.forget(folder_name(feature_set))
                    raise LostClaimError(f"the data set of {feature_set} was deleted")
                stored.save()
        done_count += counts[uid]
    return sorted(notes)


def _videos_of(dataset: Dataset) -> tuple[dict[str, Video], list[str]]:
    """The video of each recording by uid, and notes on those without one (three queries)."""
    recordings = recordings_of(dataset)
    videos = Video.objects.filter(dataset=dataset).select_related("dataset")
    by_pk = videos.in_bulk({pk for row in recordings.values() for pk in row.videos})
    video_of: dict[str, Video] = {}
    notes: list[str] = []
    for uid, row in recordings.items():
        if len(row.videos) == 1:
            video_of[uid] = by_pk[next(iter(row.videos))]
        elif row.videos:
            notes.append(f"{uid} is a take and a trace with a video each; ids have to be unique.")
        elif row.stems:
            notes.append(f"{uid}: its video is not linked.")
    return video_of, notes
