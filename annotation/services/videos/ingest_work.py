"""Ingest one recording: read its frames, make what a browser needs, draw its pictures.

The long work happens outside any transaction, in a folder of its own; its parts survive a killed
worker. The folder gets its place and the row its content in one transaction under the claim.
"""

import json
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

import av
import numpy as np
from django.db import transaction
from django.utils import timezone

from annotation.backends import made_files
from annotation.backends.ingest_files import IngestFiles
from annotation.backends.media.browser_fitness import unfit_reasons
from annotation.backends.media.clean_copy import MP4, CopyError, copy_kind, write_clean_copy
from annotation.backends.media.exceptions import VideoError
from annotation.backends.media.frame_index import FrameIndex, read_frame_index
from annotation.backends.media.memory import memory_released
from annotation.backends.media.picture_form import PictureForm, picture_form
from annotation.backends.media.pictures import (
    Pictures,
    PictureSource,
    draw_pictures,
    draw_tiles,
)
from annotation.backends.media.probe import VideoProbe, probe_video
from annotation.backends.media.proxy import (
    Proxy,
    ProxyError,
    finished_segments,
    make_proxy,
    plan_proxy,
    remove_segments,
)
from annotation.backends.media.sound import read_sound
from annotation.backends.stored_content import hashed_version
from annotation.engine.videos.recording_detail import (
    ENVELOPE_RATE,
    RecordingDetail,
    SoundDetail,
    tile_count,
)
from annotation.engine.videos.stills import tile_times
from annotation.models import Job, JobStatus, Video, VideoIngest
from annotation.selectors.videos.media import (
    COPY_STEM,
    FRAMES_NAME,
    ONSETS_NAME,
    PLAIN_PROXY_NAME,
    PROXY_NAME,
    SOUND_NAME,
    played_file,
)
from annotation.services.records import audit_log
from annotation.services.records.jobs import (
    Claim,
    LostClaimError,
    Progress,
    beating,
    fail_job,
    finish_job,
    progress_reporter,
    work_on_jobs,
)
from annotation.services.videos.ingest import spans_of
from annotation.services.videos.local_videos import VideoFileError, local_file

# Every one is a file and a place in a page; the longest of PIE-V's takes has 129 steps.
MOST_THUMBNAILS = 1000


@dataclass(frozen=True, slots=True)
class Source:
    """A recording's own file and what was read of it."""

    path: Path
    probe: VideoProbe
    index: FrameIndex
    form: PictureForm

    @classmethod
    def of(cls, path: Path) -> "Source":
        return cls(path, probe_video(path), read_frame_index(path), picture_form(path))

    def pictures(self, proxy: Path | None) -> PictureSource:
        """Where pictures come from: the proxy where there is one."""
        if proxy is None:
            return PictureSource(self.path, self.index, self.form, self.index)
        return PictureSource(proxy, read_frame_index(proxy), picture_form(proxy), self.index)


@dataclass(frozen=True, slots=True)
class Played:
    """The file that players get: a proxy for `reasons`, or a clean copy.

    `proxy_frames` of the proxy were encoded by this attempt: those of an earlier one are not
    counted, so that the pace tells how long the rest takes.
    """

    path: Path
    content: str
    reasons: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    proxy: Proxy | None = None
    proxy_frames: int = 0

    @property
    def columns(self) -> dict[str, object]:
        """The columns of `VideoIngest` that say so."""
        facts = {"name": self.path.name, "content": self.content}
        return {
            "reasons": list(self.reasons),
            "proxy": {**asdict(self.proxy), **facts} if self.proxy else {},
            "copy": {} if self.proxy else facts,
        }


@dataclass(frozen=True, slots=True)
class Products:
    """What was made of a recording, its files apart."""

    index: FrameIndex
    played: Played
    notes: tuple[str, ...]
    content: str
    pictures: Pictures
    peaks: tuple[int, ...]
    detail: RecordingDetail
    seconds: float


def ingest_videos(*, job_ids: Sequence[int]) -> None:
    """Ingest the recordings behind these jobs; safe to call twice with the same ids."""
    work_on_jobs(job_ids=job_ids, handler=_ingest)


def _ingest(claim: Claim) -> None:
    row = VideoIngest.objects.select_related("video__dataset").filter(job_id=claim.job_id).first()
    if row is None:
        finish_job(claim=claim, result={"skipped": "the recording is gone"})
        return
    files = IngestFiles(row.video.dataset.public_id, row.video.public_id, row.digest)
    try:
        with beating(claim) as is_lost:
            files.prepare()
            with memory_released(), local_file(row.video) as path, ExitStack() as stack:
                report = progress_reporter(claim, is_lost)
                if row.folder:
                    file = played_file(row.video)
                    played = stack.enter_context(made_files.local(file.name)) if file else None
                    additions = _additions(path, row, played, files.work, report)
                else:
                    products = _products(path, row.video, files.work, report)
                files.keep()
        if row.folder:
            _store_additions(claim, row, files, additions)
        else:
            _store(claim, row, files, products)
    except LostClaimError:
        # Remove the unfinished work unless another worker goes on with it.
        status = Job.objects.filter(pk=claim.job_id).values_list("status", flat=True).first()
        if status not in {JobStatus.QUEUED, JobStatus.RUNNING}:
            files.clear()
        raise
    # A faulty file is for the researcher to fix and is reported as is; anything else is our fault
    # and reaches the outer edge with its traceback.
    except (VideoError, ProxyError, VideoFileError, OSError, av.FFmpegError) as error:
        files.clear()
        # The file is named, the server's folders are not.
        reason = f"{row.video.path} {error}"
        if isinstance(error, VideoFileError):
            reason = str(error)
        elif isinstance(error, OSError | av.FFmpegError) and error.strerror:
            reason = f"{row.video.path}: {error.strerror}"
        with transaction.atomic():
            fail_job(claim=claim, error=reason)
            audit_log.record(
                actor=None,
                action="video.fail_ingest",
                subject=f"video:{row.video.public_id}",
                detail={"attempt": claim.attempt, "reason": reason},
            )
    except Exception:
        files.clear()
        raise


def _products(path: Path, video: Video, folder: Path, report: Progress) -> Products:
    """Make everything in the folder; raise `VideoError` when the file changes meanwhile."""
    started_s = time.monotonic()
    before = _facts(path)
    recording = Source.of(path)
    index = recording.index
    spans, notes = spans_of([video])[video.pk], []
    if len(spans) > MOST_THUMBNAILS:
        left_out = len(spans) - MOST_THUMBNAILS
        spans = spans[:MOST_THUMBNAILS]
        notes.append(f"{left_out} steps beyond {MOST_THUMBNAILS} have no picture")
    drawn_count = len(spans) + len(tile_times(index.duration_s))
    picture_count = drawn_count + tile_count(index.duration_s)
    content = hashed_version(path)
    played = _played(recording, folder, picture_count, report)
    notes += played.notes
    source = recording.pictures(played.path if played.proxy else None)
    proxy_frames = played.proxy_frames
    total_count = proxy_frames + picture_count
    pictures = draw_pictures(
        source, spans, folder, lambda count: report(proxy_frames + count, total_count)
    )
    if pictures.missing_count:
        notes.append(f"{pictures.missing_count} pictures are of damaged frames")
    made_count = proxy_frames + drawn_count
    peaks, detail = _detail(
        path, source, folder, lambda count: report(made_count + count, total_count)
    )
    remove_segments(folder)
    if _facts(path) != before:
        raise VideoError("changed while it was read; ingest it again when it is complete")
    seconds = round(time.monotonic() - started_s, 3)
    return Products(
        index=index,
        played=played,
        notes=tuple(notes),
        content=content,
        pictures=pictures,
        peaks=peaks,
        detail=detail,
        seconds=seconds,
    )


def _detail(
    path: Path, source: PictureSource, folder: Path, report: Callable[[int], None]
) -> tuple[tuple[int, ...], RecordingDetail]:
    """The peaks and the detail of a recording, with its files in the folder."""
    tiles = draw_tiles(source, folder, report)
    sound = read_sound(path, source.recording)
    sound_detail = None
    if sound.envelope:
        (folder / SOUND_NAME).write_bytes(sound.envelope)
        (folder / ONSETS_NAME).write_text(json.dumps({"onsets": sound.onsets_s}))
        sound_detail = SoundDetail(ENVELOPE_RATE, len(sound.envelope), len(sound.onsets_s))
    index = source.recording
    # Distances are nearly all the same, and so take next to no room.
    gaps, time_base = np.diff(index.pts, prepend=0), index.time_base.as_integer_ratio()
    np.savez_compressed(folder / FRAMES_NAME, gaps=gaps, time_base=time_base)
    return sound.peaks, RecordingDetail(source.recording.even_rate, sound_detail, tiles)


def _additions(
    path: Path, row: VideoIngest, file: Path | None, folder: Path, report: Progress
) -> dict[str, object]:
    """The columns of what was not made yet when a recording was ingested; the rest stays.

    `file` is what players get until now.
    """
    before = _facts(path)
    columns: dict[str, object] = {}
    recording = Source.of(path)
    total_count = tile_count(recording.index.duration_s)
    proxy = file if row.proxy else None
    if proxy is not None and row.has_telling_proxy:
        plain = folder / PLAIN_PROXY_NAME
        try:
            write_clean_copy(
                proxy, read_frame_index(proxy), MP4, plain, lambda: report(0, total_count)
            )
        except CopyError:
            file = None
        else:
            facts = {"name": plain.name, "content": hashed_version(plain)}
            columns["proxy"], proxy = {**row.proxy, **facts}, plain
    if file is None:
        played = _played(recording, folder, total_count, report)
        columns |= played.columns
        columns["notes"] = [*row.notes, *played.notes]
        remove_segments(folder)
        proxy = played.path if played.proxy else None
    if not row.detail:
        source = recording.pictures(proxy)
        _, detail = _detail(path, source, folder, lambda count: report(count, total_count))
        columns["detail"] = detail.to_dict()
    if _facts(path) != before:
        raise VideoError("changed while it was read; ingest it again when it is complete")
    return columns


def _facts(path: Path) -> tuple[int, int]:
    facts = path.stat()
    return facts.st_size, facts.st_mtime_ns


def _played(source: Source, folder: Path, picture_count: int, report: Progress) -> Played:
    """Make the file that players get, which says nothing of where the recording comes from."""
    path, probe, index, form = source.path, source.probe, source.index, source.form
    reasons = tuple(unfit_reasons(probe, index, form))
    if not reasons:
        kind = copy_kind(probe.container)
        copy = folder / f"{COPY_STEM}.{kind}"
        try:
            write_clean_copy(path, index, kind, copy, lambda: report(0, picture_count))
        except CopyError as error:
            reasons = (str(error),)
        else:
            return Played(copy, hashed_version(copy))
    plan = plan_proxy(path, index, form)
    finished = min(plan.frame_count, finished_segments(plan, folder) * plan.segment_frames)
    frame_count = plan.frame_count - finished
    total_count = frame_count + picture_count
    report(0, total_count)
    proxy = make_proxy(
        plan, folder, folder / PROXY_NAME, lambda count: report(count - finished, total_count)
    )
    counts = {
        "frames of the proxy repeat the one before": proxy.repeated_count,
        "frames of the recording are not in the proxy": proxy.left_out_count,
        "frames are damaged and repeat the one before": proxy.damaged_count,
    }
    notes = tuple(f"{count:,} {words}" for words, count in counts.items() if count)
    content = hashed_version(folder / PROXY_NAME)
    return Played(folder / PROXY_NAME, content, reasons, notes, proxy, frame_count)


def _store(claim: Claim, row: VideoIngest, files: IngestFiles, products: Products) -> None:
    """Write what was made and put the files in place, or nothing of it."""
    index, pictures = products.index, products.pictures
    played = products.played
    result = {"proxy": played.proxy is not None, "seconds": products.seconds}
    with transaction.atomic():
        # First the job: a worker that lost the claim writes nothing.
        finish_job(claim=claim, result=result)
        VideoIngest.objects.filter(pk=row.pk).update(
            folder=files.folder,
            notes=list(products.notes),
            thumbnails=[item.to_dict() for item in pictures.thumbnails],
            sprite=pictures.sprite.to_dict(),
            peaks=list(products.peaks),
            detail=products.detail.to_dict(),
            seconds=products.seconds,
            finished_at=timezone.now(),
            **played.columns,
        )
        Video.objects.filter(pk=row.video_id).update(
            frame_count=index.frame_count,
            is_rate_variable=index.is_rate_variable,
            key_frame_count=len(index.key_pts),
            key_frame_distance_s=index.key_frame_distance_s,
            has_closed_groups=index.has_closed_groups,
            content=products.content,
        )
        audit_log.record(
            actor=None,
            action="video.ingest",
            subject=f"video:{row.video.public_id}",
            detail={"attempt": claim.attempt, "reasons": list(played.reasons), **result},
        )
        files.publish()
        transaction.on_commit(files.forget_others, robust=True)


def _store_additions(
    claim: Claim, row: VideoIngest, files: IngestFiles, columns: dict[str, object]
) -> None:
    with transaction.atomic():
        finish_job(claim=claim, result={"detail": True})
        if columns:
            VideoIngest.objects.filter(pk=row.pk).update(**columns)
        audit_log.record(
            actor=None,
            action="video.ingest_detail",
            subject=f"video:{row.video.public_id}",
            detail={"attempt": claim.attempt, "added": sorted(columns)},
        )
        files.add_to_finished()
        played = columns.get("proxy") or columns.get("copy")
        if row.proxy and isinstance(played, dict) and played["name"] != PROXY_NAME:
            # Whoever watches it at the moment reads on in the open file.
            old = f"{files.folder}/{PROXY_NAME}"
            transaction.on_commit(partial(made_files.forget, old), robust=True)
