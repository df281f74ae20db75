"""Queue the ingestion of recordings, and cancel it; `ingest_work` does the work itself.

Each recording has one row that names, by a digest, all that its products depend on: the file, the
times of the steps that are pictured, and the version of the making. The same again queues nothing.
"""

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import partial

from django.db import transaction
from django.db.models import Q

from annotation.backends import made_files
from annotation.backends.ingest_files import IngestFiles, forget_other_videos
from annotation.models import (
    AT_WORK,
    Dataset,
    Job,
    JobStatus,
    Step,
    TraceStep,
    User,
    Video,
    VideoIngest,
)
from annotation.selectors.videos.files import path_of
from annotation.services.records import audit_log
from annotation.services.records.jobs import cancel_jobs, enqueue_jobs

# Also the name of the Celery task.
JOB_KIND = "annotation.ingest"
# Raise it when what is made changes: every recording is then ingested anew.
PRODUCTS_VERSION = 1
# As many values as every database takes in one statement.
BATCH_SIZE = 500

Spans = tuple[tuple[float, float], ...]


@transaction.atomic
def queue_ingest(
    *, dataset: Dataset, actor: User | None, videos: Iterable[Video] | None = None
) -> list[int]:
    """Queue what is not ingested yet, or failed, or changed since; return the jobs.

    All recordings of the data set, unless `videos` names some of them.
    """
    rows = list(Video.objects.filter(dataset=dataset)) if videos is None else list(videos)
    # Locked in an order that all lockers share.
    ingests = VideoIngest.objects.select_for_update(of=("self",)).select_related("job", "video")
    rows_by_video = {row.video_id: row for row in ingests.filter(video__in=rows).order_by("pk")}
    spans = spans_of(rows)
    digests: dict[Video, str] = {}
    lacking: list[VideoIngest] = []
    for video in rows:
        video.dataset = dataset
        digest = _digest(video, spans[video.pk])
        row = rows_by_video.get(video.pk)
        is_current = row is not None and row.digest == digest
        if row is not None and row.folder:
            # A storage is not asked for every recording.
            is_current &= (
                made_files.place() is not None or made_files.path_here(row.folder).is_dir()
            )
            is_waiting = row.job is not None and row.job.status in AT_WORK
            if is_current and row.is_lacking and not is_waiting:
                lacking.append(row)
        elif row is not None:
            is_current &= row.job is not None and row.job.status in AT_WORK
        if not is_current:
            digests[video] = digest
    if videos is None:
        ids = [video.public_id for video in rows]
        transaction.on_commit(partial(forget_other_videos, dataset.public_id, ids), robust=True)
    if not digests and not lacking:
        return []
    replaced = [rows_by_video[video.pk].job_id for video in digests if video.pk in rows_by_video]
    job_ids = _write(digests, [job_id for job_id in replaced if job_id], actor)
    job_ids += _write_lacking(lacking, actor)
    audit_log.record(
        actor=actor,
        action="dataset.ingest",
        subject=f"dataset:{dataset.public_id}",
        detail={"videos": len(digests) + len(lacking)},
    )
    return job_ids


@transaction.atomic
def queue_detail(*, video: Video) -> list[int]:
    """Queue what a recording lacks that was ingested before it was made; return the jobs.

    Once: where that failed or was cancelled, somebody has to ask for it.
    """
    row = (
        VideoIngest.objects.select_for_update(of=("self",))
        .select_related("job", "video")
        .filter(video=video)
        .first()
    )
    if row is None or not row.is_lacking:
        return []
    if row.job is not None and row.job.status != JobStatus.DONE:
        return []
    return _write_lacking([row], None)


@transaction.atomic
def queue_for_raters(*, videos: Sequence[Video]) -> list[int]:
    """Queue what has to be made before raters can watch these recordings; return the jobs.

    What failed once waits for somebody who asks for it.
    """
    job_ids: list[int] = []
    for video in videos:
        ingest: VideoIngest | None = getattr(video, "ingest", None)
        if ingest is not None and ingest.folder:
            job_ids += queue_detail(video=video)
        elif ingest is None or ingest.job is None or ingest.job.status == JobStatus.CANCELLED:
            job_ids += queue_ingest(dataset=video.dataset, actor=None, videos=[video])
    return job_ids


@transaction.atomic
def queue_lacking_copies() -> list[int]:
    """Queue the copies of all recordings that were ingested before there were copies.

    Proxies of those days are copied too, as they have another clock and size than copies.
    """
    rows = list(
        VideoIngest.objects.select_for_update(of=("self",))
        .select_related("video")
        .exclude(folder="")
        .filter(copy={})
        .exclude(proxy__has_key="name")
        .filter(Q(job__isnull=True) | Q(job__status=JobStatus.DONE))
        .order_by("pk")
    )
    return _write_lacking(rows, None) if rows else []


def _write_lacking(rows: list[VideoIngest], actor: User | None) -> list[int]:
    """Write jobs for what was not made in earlier days; what is there stays shown."""
    by_key = {f"{row.video.public_id}/{row.digest}/detail": row for row in rows}
    payloads = {key: {"video": row.video.public_id} for key, row in by_key.items()}
    Job.objects.filter(kind=JOB_KIND, key__in=payloads).delete()
    job_ids = enqueue_jobs(kind=JOB_KIND, payload_by_key=payloads, created_by=actor)
    for pk, key in Job.objects.filter(pk__in=job_ids).values_list("pk", "key"):
        by_key[key].job_id = pk
    VideoIngest.objects.bulk_update(rows, ["job"], batch_size=BATCH_SIZE)
    return job_ids


def _write(digests: dict[Video, str], replaced: list[int], actor: User | None) -> list[int]:
    """Write fresh jobs and empty rows; what an earlier job is still making belongs to nobody."""
    for first in range(0, len(replaced), BATCH_SIZE):
        Job.objects.filter(pk__in=replaced[first : first + BATCH_SIZE]).delete()
    payloads = {
        f"{video.public_id}/{digest}": {"video": video.public_id}
        for video, digest in digests.items()
    }
    job_ids = enqueue_jobs(kind=JOB_KIND, payload_by_key=payloads, created_by=actor)
    jobs = dict(Job.objects.filter(pk__in=job_ids).values_list("key", "pk"))
    VideoIngest.objects.bulk_create(
        [
            VideoIngest(
                video=video, digest=digest, job_id=jobs[f"{video.public_id}/{digest}"]
            )
            for video, digest in digests.items()
        ],
        update_conflicts=True,
        unique_fields=["video"],
        update_fields=[
            "job", "digest", "folder", "reasons", "notes", "proxy", "copy", "thumbnails", "sprite",
            "peaks", "detail", "seconds", "finished_at",
        ],
    )  # fmt: skip
    Video.objects.filter(pk__in=[video.pk for video in digests]).update(
        key_frame_count=None, key_frame_distance_s=None, has_closed_groups=None
    )
    return job_ids


def spans_of(videos: Sequence[Video]) -> defaultdict[int, Spans]:
    """The times of the steps shown in each recording, by its key, without repetition."""
    spans_by_video: defaultdict[int, set[tuple[float, float]]] = defaultdict(set)
    timed = {"start_s__isnull": False, "end_s__isnull": False}
    for model, owner in ((Step, "take"), (TraceStep, "trace")):
        rows = model.objects.filter(**{f"{owner}__video__in": videos}, **timed)
        for key, start_s, end_s in rows.order_by().values_list(
            f"{owner}__video", "start_s", "end_s"
        ):
            spans_by_video[key].add((start_s, end_s))
    return defaultdict(tuple, {key: tuple(sorted(spans)) for key, spans in spans_by_video.items()})


def _digest(video: Video, spans: Spans) -> str:
    """A digest of the recording's file and of what is to be pictured of it."""
    path = path_of(video)
    facts = path.stat() if path is not None else None
    parts = [
        PRODUCTS_VERSION,
        video.address,
        video.path,
        facts.st_size if facts else video.size_bytes,
        facts.st_mtime_ns if facts else video.etag,
        spans,
    ]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


@transaction.atomic
def cancel_ingest(*, dataset: Dataset, actor: User | None) -> int:
    """Cancel what waits or is being made for the data set; return how many recordings."""
    unfinished = list(
        VideoIngest.objects.filter(video__dataset=dataset, job__status__in=AT_WORK).select_related(
            "video__dataset"
        )
    )
    cancelled_count = cancel_jobs(job_ids=[row.job_id for row in unfinished if row.job_id])
    # A worker that was killed cannot clear up; one that lives stops where its folder is gone.
    for row in unfinished:
        files = IngestFiles(row.video.dataset.public_id, row.video.public_id, row.digest)
        transaction.on_commit(files.clear, robust=True)
    if cancelled_count:
        audit_log.record(
            actor=actor,
            action="dataset.cancel_ingest",
            subject=f"dataset:{dataset.public_id}",
            detail={"videos": cancelled_count},
        )
    return cancelled_count
