"""Take in the files of recordings that the site lacks, as their owner sends them.

What a file is called only finds its recording. Its content is checked before it is kept, and
nothing stays of what is refused.
"""

import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from django.core.files.uploadedfile import UploadedFile
from django.db import transaction

from annotation.backends import made_files
from annotation.backends.full_disk import is_disk_full
from annotation.backends.media.exceptions import VideoError
from annotation.backends.media.probe import probe_video
from annotation.backends.video_uploads import folder_of, in_words, limit_bytes, new_name
from annotation.models import Dataset, User, Video
from annotation.selectors.videos.uploads import (
    OpenRecording,
    open_recordings,
    recording_of_file,
)
from annotation.services.records import audit_log
from annotation.services.videos.linking import (
    forget_later,
    recordings_of,
    show_videos,
    upload_name,
    warnings_of,
)
from annotation.services.videos.links import LinkedRecording, ProbedFile

# By what a file is, not by what it is called.
SUFFIXES = {"mov,mp4,m4a,3gp,3g2,mj2": ".mp4", "matroska,webm": ".webm", "avi": ".avi"}


@dataclass(frozen=True, slots=True)
class SentVideo:
    """A file that was sent, and for which recording; "" is the one that its name says."""

    file: "UploadedFile[Any]"
    stem: str = ""


@dataclass(frozen=True, slots=True)
class UploadNote:
    """One file that was sent, and what is to be said about it."""

    file: str
    message: str


@dataclass(frozen=True, slots=True)
class UploadReport:
    """What came of the files: videos of recordings, and what was refused."""

    videos: tuple[Video, ...]
    refused: tuple[UploadNote, ...]
    warnings: tuple[UploadNote, ...]


def sent_videos(
    files: Sequence["UploadedFile[Any]"], stems: Sequence[str], places: Sequence[int]
) -> list[SentVideo]:
    """Files with the recordings that were named for them, in the order in which they were sent.

    `places` are those of the files among all that were sent.
    """
    named = dict(enumerate(stems))
    return [SentVideo(file, named.get(at, "")) for file, at in zip(files, places, strict=False)]


class _RefusedError(ValueError):
    """The file is not taken; the message says why."""


def upload_videos(*, dataset: Dataset, sent: Sequence[SentVideo], actor: User) -> UploadReport:
    """Keep every file that is a video of a recording which lacks one, and name the others.

    Who calls this has the videos ingested. Raises OSError where a disk is full.
    """
    videos: dict[str, Video] = {}
    refused, warnings = [], []
    linked = {item.stem: item for item in recordings_of(dataset)}
    recordings = open_recordings(dataset)
    for item in sent:
        name = item.file.name or "a file without a name"
        try:
            stem = _recording_of(item, linked, recordings)
            if stem in videos:
                raise _RefusedError(f"another file was given for {stem}")
            videos[stem] = video = _upload(dataset, item.file, linked[stem], actor)
        except _RefusedError as error:
            refused.append(UploadNote(name, str(error)))
        except OSError as error:
            if is_disk_full(error):
                raise
            reason = error.strerror or str(error)
            refused.append(UploadNote(name, f"cannot be kept: {reason}"))
        else:
            warnings += [UploadNote(name, message) for message in video.warnings]
    return UploadReport(tuple(videos.values()), tuple(refused), tuple(warnings))


def _recording_of(
    item: SentVideo, linked: dict[str, LinkedRecording], recordings: Sequence[OpenRecording]
) -> str:
    if item.stem:
        if item.stem not in linked:
            raise _RefusedError(f"this data set has no recording {item.stem}")
        if item.stem not in {recording.stem for recording in recordings}:
            raise _RefusedError(f"{item.stem} has a video, which is linked from a folder")
        return item.stem
    found = recording_of_file(item.file.name or "", recordings)
    if found is None:
        raise _RefusedError("no recording without a video is called so; choose the one that it is")
    return found.stem


def _upload(
    dataset: Dataset, file: "UploadedFile[Any]", recording: LinkedRecording, actor: User
) -> Video:
    size_bytes = file.size or 0
    if size_bytes > limit_bytes():
        limit = in_words(limit_bytes())
        raise _RefusedError(f"has {in_words(size_bytes)}; an upload may have {limit}")
    assert file.file is not None  # noqa: S101 - `VideoUploadHandler` wrote it
    path = Path(file.file.name)
    file.file.flush()
    try:
        probe = probe_video(path)
    except VideoError as error:
        raise _RefusedError(str(error)) from error
    name = new_name(dataset.public_id, SUFFIXES.get(probe.container, ".video"))
    try:
        etag = _keep(path, name)
        return _store(dataset, ProbedFile(recording, name, probe, etag), actor)
    except BaseException:
        made_files.forget(name)
        raise


def _keep(path: Path, name: str) -> str:
    """Give what came in its place; return what it is in a storage."""
    if made_files.place() is not None:
        # What came in goes by itself when the request ends.
        made_files.keep(path, name, stays=True)
        return made_files.found(name).etag
    place = made_files.path_here(name)
    place.parent.mkdir(parents=True, exist_ok=True)
    os.link(path, place)
    return ""


@transaction.atomic
def _store(dataset: Dataset, kept: ProbedFile, actor: User) -> Video:
    """Make the file the video of its recording; an upload before it goes."""
    assert kept.probe is not None  # noqa: S101 - it was probed before
    stem = kept.recording.stem
    if not Dataset.objects.select_for_update().filter(pk=dataset.pk).exists():
        raise _RefusedError(f"{dataset.name} was deleted just now")
    former = Video.objects.filter(dataset=dataset, stem=stem).first()
    if former is not None and not former.folder:
        raise _RefusedError(f"{stem} has a video by now, which is linked from a folder")
    if former is not None:
        forget_later([upload_name(former)])
    facts = asdict(kept.probe) | {
        "folder": folder_of(dataset.public_id),
        "path": Path(kept.path).name,
        "etag": kept.etag,
        "warnings": warnings_of(kept),
    }
    video, _ = Video.objects.update_or_create(dataset=dataset, stem=stem, defaults=facts)
    show_videos(dataset)
    audit_log.record(
        actor=actor,
        action="dataset.upload_video",
        subject=f"dataset:{dataset.public_id}",
        detail={"recording": stem, "size_bytes": kept.probe.size_bytes},
    )
    return video
