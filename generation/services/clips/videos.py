"""The videos that runs make: where their files lie, and what is stored about them.

Each take has a work folder, which is removed when its video is in place. The finished file is moved
under the worker's claim, so a worker that lost its claim moves nothing.
"""

import hashlib
import shutil
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Self

from django.db import transaction
from django.utils import timezone

from annotation.backends import made_files
from annotation.backends.media.exceptions import VideoError
from annotation.backends.media.probe import probe_video
from annotation.services.corpus.made_traces import MadeFile
from generation.backends.video.splicing.splice import SpliceResult
from generation.engine.run_options import MANUAL
from generation.engine.splicing.edit_list import EditList
from generation.models import RunTake, TakeClip, TakeVideo
from generation.services.stage import TakeFailedError, store_row

FOLDER = "generated"
WORK_FOLDER = ".work"
CLIPS_FOLDER = ".clips"
MAKER_CHARACTERS = 64
UID_CHARACTERS = 16


@dataclass(frozen=True, slots=True)
class TakeFiles:
    """Where the files of one take lie; `stem` is opaque, `folder` relative to the media folder."""

    folder: str
    stem: str

    @property
    def name(self) -> str:
        return f"{self.stem}.mp4"

    @property
    def published(self) -> Path:
        return made_files.path_here(self.folder) / self.name

    @property
    def work(self) -> Path:
        return made_files.path_here(self.folder) / WORK_FOLDER / self.stem

    @property
    def clips(self) -> Path:
        """The folder of clips that are kept because somebody uploaded or paid for them."""
        return made_files.path_here(self.folder) / CLIPS_FOLDER / self.stem

    @property
    def draft(self) -> Path:
        return self.work / f"whole-{self.name}"

    def prepare(self) -> None:
        """Make the folders; remove what a killed worker left, except finished clips."""
        self.work.mkdir(parents=True, exist_ok=True)
        for leftover in (self.draft, *self.work.glob(".*.part"), *self.clips.glob(".*.part")):
            leftover.unlink(missing_ok=True)

    def keep(self) -> None:
        """Send the finished video to the storage, if one is set."""
        made_files.keep(self.draft, f"{self.folder}/{self.name}")

    def put_in_place(self) -> None:
        """Move the finished video to its place, in one step."""
        if made_files.place() is None:
            self.draft.replace(self.published)

    def clear(self) -> None:
        """Remove everything but the finished video and the clips that are kept."""
        shutil.rmtree(self.work, ignore_errors=True)
        if made_files.place() is not None:
            shutil.rmtree(self.clips, ignore_errors=True)


def folder_of_run(run_public_id: str) -> str:
    return f"{FOLDER}/{run_public_id}"


def opaque_uid(run_public_id: str, take_uid: str) -> str:
    """The uid of a published trace: always the same, and revealing nothing about its origin."""
    digest = hashlib.sha256(f"{run_public_id}\x1f{take_uid}".encode()).hexdigest()
    return digest[:UID_CHARACTERS]


def files_of(run_take: RunTake) -> TakeFiles:
    """Where the video of a take lies; the file is named by the uid of the trace."""
    public_id = run_take.run.public_id
    return TakeFiles(folder_of_run(public_id), opaque_uid(public_id, run_take.take.uid))


def forget_files(run_public_id: str, *, keeps_videos: bool) -> None:
    """Remove the files of a deleted run: all, or all except the finished videos."""
    folder = folder_of_run(run_public_id)
    parts = [WORK_FOLDER, CLIPS_FOLDER]
    for name in [f"{folder}/{part}" for part in parts] if keeps_videos else [folder]:
        made_files.forget(name)


def makers_word(clips: Iterable[TakeClip], provider_name: str) -> str:
    """Who made the clips, as traces and pages say it; makers of steps before those of bridges.

    Where some steps are placeholders these are named first, see `Trace.has_placeholders`.
    """
    by_bridge = sorted(
        clips,
        key=lambda clip: (
            clip.is_bridge, clip.is_upload or clip.is_order, clip.position,
        ),
    )  # fmt: skip
    words = dict.fromkeys(
        MANUAL if clip.is_upload else provider_name if clip.is_order else clip.maker
        for clip in by_bridge
    )
    return ", ".join(words)[:MAKER_CHARACTERS]


@dataclass(frozen=True, slots=True)
class VideoOutcome:
    """A finished video: its files, its real cut times, how it was spliced, how long that took."""

    files: TakeFiles
    maker: str
    edits: EditList
    splice: SpliceResult
    seconds: float


@dataclass(frozen=True, slots=True)
class VideoProduct:
    """The video of one take, or why it has none.

    `outcome` is None if the product was loaded from its row: then the file is in its place.
    """

    edits: EditList | None = None
    maker: str = ""
    skipped: str = ""
    outcome: VideoOutcome | None = None

    @classmethod
    def load(cls, run_take: RunTake) -> Self:
        row = TakeVideo.objects.get(run_take=run_take)
        edits = EditList.from_dict(row.edits) if row.edits else None
        return cls(edits=edits, maker=row.maker, skipped=row.skipped)

    def prepare(self, run_take: RunTake) -> Callable[[], object]:
        outcome = self.outcome
        row = TakeVideo(run_take=run_take, skipped=self.skipped, made_at=timezone.now())
        if outcome is None:
            return partial(store_row, row)
        row.maker = outcome.maker
        row.path = f"{outcome.files.folder}/{outcome.files.name}"
        row.splice_path = outcome.splice.path
        row.clip_count = len(outcome.edits.clips)
        row.frame_count = outcome.splice.frame_count
        row.duration_s = outcome.splice.duration_s
        row.seconds = outcome.seconds
        row.edits = outcome.edits.to_dict()
        row.result = outcome.splice.to_dict()

        def write() -> None:
            store_row(row)
            outcome.files.put_in_place()
            transaction.on_commit(outcome.files.clear, robust=True)

        return write

    def summary(self) -> dict[str, object]:
        if self.outcome is None:
            return {"video": None, "why": self.skipped}
        splice = self.outcome.splice
        return {
            "video": str(splice.path),
            "frames": splice.frame_count,
            "clips": len(self.outcome.edits.clips),
            "video_seconds": self.outcome.seconds,
        }


def finished_file(files: TakeFiles) -> MadeFile:
    """The finished video with its probed properties; raises TakeFailedError if it is gone."""
    name = f"{files.folder}/{files.name}"
    try:
        with made_files.local(name) as path:
            etag = "" if made_files.place() is None else made_files.found(name).etag
            return MadeFile(files.folder, files.name, probe_video(path), etag)
    except (VideoError, FileNotFoundError) as error:
        raise TakeFailedError(f"The video of this take {error}; clone the run instead.") from error
