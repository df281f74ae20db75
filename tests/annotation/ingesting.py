"""Recordings to ingest, and what an ingest makes of them."""

from pathlib import Path

from annotation.models import Dataset, VideoIngest
from annotation.selectors.videos.ingest import ingest_item, ingested_videos
from annotation.services.videos.ingest import queue_ingest
from annotation.services.videos.ingest_work import ingest_videos
from annotation.services.videos.linking import link_videos
from tests.factories import DatasetFactory, StepFactory, TakeFactory
from tests.recordings import write_recording

FIT = {"frame_count": 60, "sound": None}
UNFIT = {**FIT, "codec": "mpeg4"}


def linked(folder: Path, recipe: dict, stem: str = "one") -> Dataset:
    folder.mkdir(exist_ok=True)
    write_recording(folder / f"{stem}.mp4", **recipe)
    dataset = DatasetFactory()
    take = TakeFactory(dataset=dataset, video_stem=stem)
    StepFactory(take=take, index=0, start_s=0.0, end_s=1.0)
    StepFactory(take=take, index=1, start_s=1.0, end_s=2.0)
    StepFactory(take=take, index=2, start_s=None, end_s=None)
    link_videos(dataset=dataset, folder=str(folder), pattern="{stem}.mp4")
    return dataset


def ingest(dataset: Dataset) -> VideoIngest:
    ingest_videos(job_ids=queue_ingest(dataset=dataset, actor=None))
    return VideoIngest.objects.select_related("job", "video").get(video__dataset=dataset)


def files_below(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.rglob("*") if path.is_file())


def states(dataset: Dataset) -> list[tuple[str, str]]:
    return [(item.state, item.detail) for item in map(ingest_item, ingested_videos(dataset))]
