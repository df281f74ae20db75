"""Where the products of ingestion lie: below the media folder, by data set and by recording.

    ingest/DATASET/VIDEO/DIGEST/   proxy.mp4, sprite.jpg, step-0000.jpg, tiles-0000.jpg, ...
    ingest/DATASET/.work/VIDEO-DIGEST/   what is being made

With an object storage only the second lies on a disk, and the first are kept there (`made_files`).

What lies in a finished folder never changes: another digest is another folder, and the old one goes
once the row names the new one. An old folder may get what was not made in its days.
"""

import shutil
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings

from annotation.backends import made_files

FOLDER = "ingest"
WORK_FOLDER = ".work"
DIGEST_CHARACTERS = 16


@dataclass(frozen=True, slots=True)
class IngestFiles:
    """The folders of one ingestion of one recording: ids of data set and video, and its digest."""

    dataset_id: str
    video_id: str
    digest: str

    @property
    def folder(self) -> str:
        """The finished folder, relative to the media folder."""
        return f"{FOLDER}/{self.dataset_id}/{self.video_id}/{self.digest[:DIGEST_CHARACTERS]}"

    @property
    def finished(self) -> Path:
        return Path(settings.MEDIA_ROOT) / self.folder

    @property
    def work(self) -> Path:
        name = f"{self.video_id}-{self.digest[:DIGEST_CHARACTERS]}"
        return _dataset_folder(self.dataset_id) / WORK_FOLDER / name

    def prepare(self) -> None:
        """Make the working folder; remove what a killed worker left half-written."""
        self.work.mkdir(parents=True, exist_ok=True)
        for leftover in self.work.glob(".*.part"):
            leftover.unlink(missing_ok=True)

    def keep(self) -> None:
        """Send what is finished to the storage, if one is set, before the row names it."""
        made_files.keep(self.work, self.folder)

    def publish(self) -> None:
        """Give the working folder its place, in one step."""
        if made_files.place() is not None:
            return
        shutil.rmtree(self.finished, ignore_errors=True)
        self.finished.parent.mkdir(parents=True, exist_ok=True)
        self.work.rename(self.finished)

    def add_to_finished(self) -> None:
        """Put what was made beside what is finished; the row does not name it before."""
        if made_files.place() is not None:
            return
        for path in self.work.iterdir():
            path.replace(self.finished / path.name)
        self.work.rmdir()

    def clear(self) -> None:
        """Remove what is being made."""
        shutil.rmtree(self.work, ignore_errors=True)

    def forget_others(self) -> None:
        """Remove what was made, finished or not, of earlier versions of the recording."""
        for path in _entries(self.work.parent):
            if _video_of(path) == self.video_id and path != self.work:
                shutil.rmtree(path, ignore_errors=True)
        recording = str(Path(self.folder).parent)
        for name in made_files.names_below(recording):
            if name != self.finished.name:
                made_files.forget(f"{recording}/{name}")


def _dataset_folder(dataset_id: str) -> Path:
    return Path(settings.MEDIA_ROOT) / FOLDER / dataset_id


def _entries(folder: Path) -> list[Path]:
    try:
        return list(folder.iterdir())
    except (FileNotFoundError, NotADirectoryError):
        return []


def forget_dataset(dataset_id: str) -> None:
    """Remove everything that was made of the recordings of a data set."""
    made_files.forget(f"{FOLDER}/{dataset_id}")


def forget_other_videos(dataset_id: str, video_ids: Collection[str]) -> None:
    """Remove what was made of recordings that the data set does not have any more."""
    folder = f"{FOLDER}/{dataset_id}"
    for video_id in made_files.names_below(folder):
        if video_id not in {*video_ids, WORK_FOLDER}:
            made_files.forget(f"{folder}/{video_id}")
    for path in _entries(_dataset_folder(dataset_id) / WORK_FOLDER):
        if _video_of(path) not in video_ids:
            shutil.rmtree(path, ignore_errors=True)


def _video_of(work: Path) -> str:
    """The recording that a working folder belongs to; ids may hold dashes, digests not."""
    return work.name.rpartition("-")[0]
