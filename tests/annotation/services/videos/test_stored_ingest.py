"""Ingestion of recordings of an object storage: fetched, pictured, and made anew when replaced."""

from pathlib import Path

import pytest

from annotation.models import Dataset, JobStatus, Video
from annotation.selectors.videos.ingest import IngestState
from annotation.services.videos.ingest import queue_ingest
from annotation.services.videos.linking import link_videos
from tests.annotation.ingesting import UNFIT, files_below, ingest, linked, states
from tests.recordings import write_recording
from tests.storage import SiteStorage

pytestmark = pytest.mark.django_db


@pytest.fixture
def dataset(site_storage: SiteStorage, tmp_path: Path) -> Dataset:
    """Return a data set whose recording is an object that no browser plays, and nowhere else."""
    dataset = linked(tmp_path / "recordings", UNFIT)
    link(site_storage, dataset, tmp_path / "recordings" / "one.mp4")
    (tmp_path / "recordings" / "one.mp4").unlink()
    return dataset


def link(storage: SiteStorage, dataset: Dataset, path: Path) -> None:
    storage.put("tea/one.mp4", path)
    link_videos(dataset=dataset, folder=f"s3://{storage.bucket}/tea", pattern="{stem}.mp4")


def test_stored_recording_gets_its_proxy_and_pictures(dataset: Dataset, settings) -> None:
    row = ingest(dataset)

    assert row.job.status == JobStatus.DONE
    assert files_below(settings.MEDIA_ROOT / row.folder) == [
        "frames.npz", "proxy.mp4", "sprite.jpg", "step-0000.jpg", "step-0001.jpg",
        "tiles-0000.jpg",
    ]  # fmt: skip
    assert states(dataset) == [
        (IngestState.PROXY, "browsers cannot play mpeg4; convert it to H.264")
    ]
    assert queue_ingest(dataset=dataset, actor=None) == []


def test_stored_recording_that_was_replaced_is_ingested_anew(
    dataset: Dataset, site_storage: SiteStorage, tmp_path: Path
) -> None:
    before = ingest(dataset)
    longer = write_recording(tmp_path / "longer.mp4", **{**UNFIT, "frame_count": 70})

    link(site_storage, dataset, longer)
    after = ingest(dataset)

    assert (before.proxy["frame_count"], after.proxy["frame_count"]) == (60, 70)
    assert after.folder != before.folder


def test_stored_recording_that_changed_after_linking_fails_with_its_name(
    dataset: Dataset, site_storage: SiteStorage
) -> None:
    site_storage.put("tea/one.mp4", b"something else")

    row = ingest(dataset)

    assert (row.job.status, row.job.error) == (
        JobStatus.FAILED,
        f"s3://{site_storage.bucket}/tea/one.mp4 was changed after it was linked. "
        "Link the videos again.",
    )
    assert Video.objects.get().key_frame_count is None
