"""What is left of an ingest that was cancelled, whose worker died, or whose data set is deleted."""

from pathlib import Path

import pytest

from annotation.backends.ingest_files import IngestFiles
from annotation.models import Dataset, Job, JobStatus, VideoIngest
from annotation.selectors.videos.ingest import IngestState
from annotation.services.corpus.datasets import delete_dataset
from annotation.services.records import jobs
from annotation.services.videos import ingest_work
from annotation.services.videos.ingest import cancel_ingest, queue_ingest
from annotation.services.videos.ingest_work import ingest_videos
from tests.annotation.ingesting import FIT, UNFIT, files_below, ingest, linked, states
from tests.recordings import write_recording

pytestmark = pytest.mark.django_db


@pytest.fixture
def dataset(tmp_path: Path, media: Path) -> Dataset:
    """Return a data set of one take of two seconds with two steps, linked, not ingested."""
    return linked(tmp_path / "recordings", FIT)


def test_cancel_ingest_stops_what_waits(dataset: Dataset, media: Path) -> None:
    job_ids = queue_ingest(dataset=dataset, actor=None)

    count = cancel_ingest(dataset=dataset, actor=None)
    ingest_videos(job_ids=job_ids)

    assert count == 1
    assert states(dataset) == [(IngestState.CANCELLED, "")]
    assert files_below(media) == []
    assert ingest(dataset).job.status == JobStatus.DONE


def test_cancel_ingest_removes_what_a_killed_worker_left(
    tmp_path: Path, media: Path, monkeypatch, django_capture_on_commit_callbacks
) -> None:
    dataset = linked(tmp_path / "recordings", UNFIT)

    class KilledError(BaseException):
        pass

    def die(*args, **kwargs):
        raise KilledError

    monkeypatch.setattr(ingest_work, "draw_pictures", die)
    with pytest.raises(KilledError):
        ingest(dataset)
    left = files_below(media)
    with django_capture_on_commit_callbacks(execute=True):
        cancel_ingest(dataset=dataset, actor=None)

    assert left == ["proxy.mp4", "segment-00000.mp4"]
    assert files_below(media) == []


def test_ingest_of_a_changed_recording_removes_what_a_killed_worker_left(
    tmp_path: Path, media: Path, django_capture_on_commit_callbacks
) -> None:
    dataset = linked(tmp_path / "recordings", UNFIT)
    queue_ingest(dataset=dataset, actor=None)
    old = VideoIngest.objects.select_related("video__dataset").get()
    files = IngestFiles(dataset.public_id, old.video.public_id, old.digest)
    files.prepare()
    (files.work / "segment-00000.mp4").write_bytes(b"half")
    write_recording(tmp_path / "recordings" / "one.mp4", **FIT)

    with django_capture_on_commit_callbacks(execute=True):
        row = ingest(dataset)

    assert files_below(media) == files_below(media / row.folder)


def test_cancel_ingest_stops_what_is_being_made_and_leaves_nothing(
    tmp_path: Path, media: Path, monkeypatch
) -> None:
    dataset = linked(tmp_path / "recordings", UNFIT)
    told: list[int] = []
    monkeypatch.setattr(jobs, "REPORT_PAUSE_S", 0.0)
    extend = jobs.extend_lease

    def cancelled_meanwhile(**counts) -> None:
        # A mere beat counts nothing.
        told.extend([counts["done_count"]] if "done_count" in counts else [])
        if len(told) == 20:
            cancel_ingest(dataset=dataset, actor=None)
        extend(**counts)

    monkeypatch.setattr(jobs, "extend_lease", cancelled_meanwhile)

    row = ingest(dataset)

    assert (len(told), row.job.status, row.folder) == (20, JobStatus.CANCELLED, "")
    assert files_below(media) == []


def test_delete_dataset_removes_what_was_made_of_its_recordings(
    dataset: Dataset, tmp_path: Path, media: Path, django_capture_on_commit_callbacks
) -> None:
    ingest(dataset)

    with django_capture_on_commit_callbacks(execute=True):
        delete_dataset(dataset=dataset, actor=None)

    assert files_below(media) == []
    assert files_below(tmp_path / "recordings") == ["one.mp4"]
    assert not Job.objects.exists()


def test_delete_dataset_removes_the_videos_that_the_site_made(
    dataset: Dataset, media: Path, django_capture_on_commit_callbacks
) -> None:
    made = media / "generated" / "a-run"
    made.mkdir(parents=True)
    for name in ("one.mp4", "of-another.mp4"):
        (made / name).write_bytes(b"video")
    Dataset.objects.update(video_folder="generated/a-run")

    with django_capture_on_commit_callbacks(execute=True):
        delete_dataset(dataset=dataset, actor=None)

    assert files_below(media) == ["of-another.mp4"]


def test_folder_in_which_a_run_begins_to_work_stays_without_an_error(
    dataset: Dataset, media: Path, django_capture_on_commit_callbacks, caplog
) -> None:
    made = media / "generated" / "a-run"
    made.mkdir(parents=True)
    (made / "one.mp4").write_bytes(b"video")
    Dataset.objects.update(video_folder="generated/a-run")
    remove = Path.rmdir

    def rmdir(folder: Path) -> None:
        (made / "of-another.mp4").write_bytes(b"video")
        remove(folder)

    with pytest.MonkeyPatch.context() as patch, django_capture_on_commit_callbacks(execute=True):
        patch.setattr(Path, "rmdir", rmdir)
        delete_dataset(dataset=dataset, actor=None)

    assert files_below(media) == ["of-another.mp4"]
    assert caplog.records == []
