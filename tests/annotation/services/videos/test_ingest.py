"""Ingestion as a job: what it leaves behind when it ends well, badly, twice, or not at all."""

import contextlib
import csv
import errno
import os
from collections import Counter
from fractions import Fraction
from itertools import product
from pathlib import Path

import av
import numpy as np
import pytest
from django.utils import timezone

from annotation.backends.media import container as media_container
from annotation.backends.media.frame_index import read_frame_index
from annotation.backends.stored_content import hashed_version
from annotation.engine.videos.sound import Sound
from annotation.models import AuditEntry, Dataset, Job, JobStatus, Video, VideoIngest
from annotation.selectors.videos.ingest import (
    LACKING_DETAIL,
    IngestState,
    ingest_item,
    ingest_report,
    ingested_videos,
)
from annotation.services.records import jobs
from annotation.services.videos import ingest_work
from annotation.services.videos.ingest import queue_detail, queue_ingest
from annotation.services.videos.ingest_work import ingest_videos
from annotation.services.videos.linking import link_videos
from segments.formats import table
from segments.formats.exchange import Settings
from segments.services.export import segmented_recordings
from tests.annotation.ingesting import FIT, UNFIT, files_below, ingest, linked, states
from tests.factories import (
    DatasetFactory,
    SegmentRoundFactory,
    StepFactory,
    TakeFactory,
    UserFactory,
    VideoFactory,
    VideoIngestFactory,
)
from tests.recordings import write_recording
from tests.segments.segmented_rounds import finish, steps_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def dataset(tmp_path: Path, media: Path) -> Dataset:
    """Return a data set of one take of two seconds with two steps, linked, not ingested."""
    return linked(tmp_path / "recordings", FIT)


def test_ingest_leaves_a_fit_recording_as_it_is(dataset: Dataset, media: Path) -> None:
    row = ingest(dataset)

    assert (row.job.status, row.reasons, row.proxy) == (JobStatus.DONE, [], {})
    copy = media / row.folder / "copy.mp4"
    assert row.copy == {"name": "copy.mp4", "content": hashed_version(copy)}
    assert files_below(media) == [
        "copy.mp4", "frames.npz", "sprite.jpg", "step-0000.jpg", "step-0001.jpg", "tiles-0000.jpg",
    ]  # fmt: skip
    assert files_below(media / row.folder) == files_below(media)
    assert [(item["start_s"], item["frame"]) for item in row.thumbnails] == [(0, 15), (1, 45)]
    assert states(dataset) == [(IngestState.AS_IT_IS, "")]


def test_ingest_stores_what_only_the_whole_file_tells(dataset: Dataset) -> None:
    before = Video.objects.get()
    row = ingest(dataset)

    assert (before.key_frame_count, before.pixel_format) == (None, "yuv420p")
    video = row.video
    assert (video.frame_count, video.key_frame_count, video.has_closed_groups) == (60, 2, True)
    assert video.key_frame_distance_s == pytest.approx(1.0)
    assert video.is_rate_variable is False
    assert AuditEntry.objects.filter(action="video.ingest").count() == 1


def test_ingest_makes_a_proxy_of_what_browsers_cannot_play(tmp_path: Path, media: Path) -> None:
    dataset = linked(tmp_path / "recordings", UNFIT)

    row = ingest(dataset)

    reason = "browsers cannot play mpeg4; convert it to H.264"
    assert files_below(media) == [
        "frames.npz", "proxy.mp4", "sprite.jpg", "step-0000.jpg", "step-0001.jpg",
        "tiles-0000.jpg",
    ]  # fmt: skip
    assert (row.proxy["width"], row.proxy["frame_count"]) == (192, 60)
    assert states(dataset) == [(IngestState.PROXY, reason)]


def test_ingest_of_the_same_again_queues_nothing(dataset: Dataset) -> None:
    row = ingest(dataset)

    assert queue_ingest(dataset=dataset, actor=None) == []
    assert VideoIngest.objects.get().folder == row.folder


def test_ingest_asked_twice_before_it_began_is_one_job(dataset: Dataset) -> None:
    [job_id] = queue_ingest(dataset=dataset, actor=None)

    assert queue_ingest(dataset=dataset, actor=None) == []
    assert Job.objects.get().pk == job_id
    assert states(dataset) == [(IngestState.WAITING, "")]


def test_ingest_of_a_changed_recording_replaces_what_was_made(
    dataset: Dataset, tmp_path: Path, media: Path, django_capture_on_commit_callbacks
) -> None:
    old = ingest(dataset)
    write_recording(tmp_path / "recordings" / "one.mp4", **{**UNFIT, "frame_count": 50})

    with django_capture_on_commit_callbacks(execute=True):
        new = ingest(dataset)

    assert new.pk == old.pk
    assert new.folder != old.folder
    assert files_below(media) == files_below(media / new.folder)
    assert Job.objects.count() == 1


def test_ingest_pictures_new_steps(dataset: Dataset) -> None:
    ingest(dataset)
    take = dataset.takes.get()
    StepFactory(take=take, index=3, start_s=0.5, end_s=0.7)

    assert [item["start_s"] for item in ingest(dataset).thumbnails] == [0.0, 0.5, 1.0]


def test_ingest_forgets_recordings_that_are_gone(
    dataset: Dataset, tmp_path: Path, media: Path, django_capture_on_commit_callbacks
) -> None:
    ingest(dataset)
    dataset.takes.update(video_stem="two")
    write_recording(tmp_path / "recordings" / "two.mp4", **FIT)
    link_videos(dataset=dataset, folder=str(tmp_path / "recordings"), pattern="{stem}.mp4")

    with django_capture_on_commit_callbacks(execute=True):
        row = ingest(dataset)

    assert row.video.stem == "two"
    assert files_below(media) == files_below(media / row.folder)


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        (lambda path: path.write_bytes(b""), "one.mp4 is empty"),
        (lambda path: path.write_bytes(b"no video " * 99), "one.mp4 is damaged, or not a video"),
        (lambda path: path.write_text("#EXTM3U\n/etc/passwd\n"), "one.mp4 is damaged, or not"),
        (lambda path: path.write_bytes(path.read_bytes()[:3000]), "one.mp4 is damaged, or not"),
        (lambda path: path.unlink(), "one.mp4 is gone"),
    ],
    ids=["empty", "text", "playlist", "cut", "gone"],
)
def test_ingest_of_an_unusable_file_fails_with_its_name(
    dataset: Dataset, tmp_path: Path, media: Path, spoil, reason: str
) -> None:
    spoil(tmp_path / "recordings" / "one.mp4")

    row = ingest(dataset)

    assert (row.job.status, row.folder) == (JobStatus.FAILED, "")
    assert reason in row.job.error
    assert str(tmp_path) not in row.job.error
    assert files_below(media) == []
    assert states(dataset) == [(IngestState.FAILED, row.job.error)]
    assert AuditEntry.objects.filter(action="video.fail_ingest").count() == 1


def test_ingest_of_a_file_that_grows_meanwhile_fails(
    dataset: Dataset, tmp_path: Path, media: Path, monkeypatch
) -> None:
    path = tmp_path / "recordings" / "one.mp4"

    def growing(*args, **kwargs):
        with path.open("ab") as file:
            file.write(b"more")
        return Sound()

    monkeypatch.setattr(ingest_work, "read_sound", growing)

    row = ingest(dataset)

    assert row.job.error == (
        "one.mp4 changed while it was read; ingest it again when it is complete"
    )
    assert files_below(media) == []


def test_ingest_on_a_full_disk_fails_and_leaves_nothing(
    dataset: Dataset, media: Path, monkeypatch
) -> None:
    def full(*args, **kwargs):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(media / "secret"))

    monkeypatch.setattr(ingest_work, "draw_pictures", full)

    row = ingest(dataset)

    assert row.job.error == "one.mp4: No space left on device"
    assert files_below(media) == []


def test_ingest_of_one_unusable_file_does_not_stop_the_others(
    dataset: Dataset, tmp_path: Path
) -> None:
    write_recording(tmp_path / "recordings" / "two.mp4", **FIT)
    TakeFactory(dataset=dataset, video_stem="two")
    link_videos(dataset=dataset, folder=str(tmp_path / "recordings"), pattern="{stem}.mp4")
    (tmp_path / "recordings" / "one.mp4").write_bytes(b"")

    ingest_videos(job_ids=queue_ingest(dataset=dataset, actor=None))

    assert ingest_report(dataset).counts == {"failed": 1, "as it is": 1}


def test_ingest_of_a_sound_that_replaced_its_picture_fails(
    dataset: Dataset, tmp_path: Path
) -> None:
    with av.open(str(tmp_path / "recordings" / "one.mp4"), "w", format="mp4") as container:
        stream = container.add_stream("aac", rate=48_000)
        for _ in range(20):
            frame = av.AudioFrame.from_ndarray(np.zeros((2, 1024), np.float32), "fltp", "stereo")
            frame.sample_rate = 48_000
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))

    assert ingest(dataset).job.error == "one.mp4 has no moving picture"


def test_ingest_of_pictures_that_are_too_big_fails_before_decoding_them(
    dataset: Dataset, monkeypatch
) -> None:
    monkeypatch.setattr(media_container, "MAX_PIXELS", 100 * 100)

    assert ingest(dataset).job.error == "one.mp4 has pictures of 192 x 108, which is too big"


def test_ingest_that_failed_is_tried_again_when_asked(dataset: Dataset, tmp_path: Path) -> None:
    path = tmp_path / "recordings" / "one.mp4"
    content = path.read_bytes()
    path.write_bytes(b"")
    failed = ingest(dataset)
    path.write_bytes(content)

    again = ingest(dataset)

    assert (failed.job.status, again.job.status) == (JobStatus.FAILED, JobStatus.DONE)


@pytest.mark.shared_data
def test_ingest_of_the_collected_files(shared_data: Path, media: Path) -> None:
    names = [
        "bottle-detection.mp4", "movie-hello.mp4", "gnome-display-dual-monitors.webm",
        "edge/corrupted.mp4", "edge/unordered.mov", "edge/video_90.mov",
    ]  # fmt: skip
    dataset = DatasetFactory()
    for name in names:
        StepFactory(take=TakeFactory(dataset=dataset, video_stem=name))
    link_videos(dataset=dataset, folder=str(shared_data.parent / "video"), pattern="{stem}")

    ingest_videos(job_ids=queue_ingest(dataset=dataset, actor=None))

    rows = {row.video.stem: row for row in VideoIngest.objects.select_related("video")}
    # The first frame of movie-hello.mp4 comes one frame's time after the file begins.
    assert ingest_report(dataset).counts == {"proxy made": 1, "as it is": 5}
    assert [len(rows[name].thumbnails) for name in names] == [1] * 6
    assert [len(rows[name].sprite["positions"]) for name in names] == [40, 9, 38, 5, 1, 1]
    assert [len(rows[name].peaks) for name in names] == [0, 1000, 0, 0, 0, 0]


def test_ingest_tells_frames_done_of_all(tmp_path: Path, media: Path, monkeypatch) -> None:
    dataset = linked(tmp_path / "recordings", UNFIT)
    told: list[tuple[int, int]] = []

    def report(*, claim, **counts) -> None:
        # A mere beat counts nothing.
        told.extend([(counts["done_count"], counts["total_count"])] if counts else [])

    monkeypatch.setattr(jobs, "REPORT_PAUSE_S", 0.0)
    monkeypatch.setattr(jobs, "extend_lease", report)

    ingest(dataset)

    # 60 frames of the proxy, two steps, two tiles of a second each in each kind of sheet.
    assert told == [(count, 66) for count in range(67)]


def test_ingest_report_estimates_what_is_left(dataset: Dataset) -> None:
    row = ingest(dataset)
    VideoIngest.objects.update(seconds=4.0)
    waiting = Video.objects.get(pk=row.video_id)
    waiting.pk, waiting.public_id, waiting.stem, waiting.duration_s = None, "x", "two", 10.0
    waiting.save()
    job = Job.objects.create(kind="annotation.ingest", key="two")
    VideoIngest.objects.create(video=waiting, digest="2", job=job)

    queued_s = ingest_report(dataset).left_s
    Job.objects.filter(pk=job.pk).update(
        status=JobStatus.RUNNING,
        lease_until=timezone.now(),
        started_at=timezone.now() - timezone.timedelta(seconds=30),
        done_count=300,
        total_count=400,
    )
    running_s = ingest_report(dataset).left_s

    # Two seconds of recording took four; ten take twenty. A quarter of the frames is left.
    assert queued_s == pytest.approx(20.0)
    assert running_s == pytest.approx(10.0, rel=0.05)


@pytest.fixture
def older(tmp_path: Path, media: Path) -> VideoIngest:
    """Return an ingest with a proxy and sound, made before there were details."""
    recipe = {**UNFIT, "sound": (48_000, "mono"), "rate": Fraction(30000, 1001)}
    row = ingest(linked(tmp_path / "recordings", recipe))
    for name in ("frames.npz", "sound.bin", "onsets.json", "tiles-0000.jpg"):
        (media / row.folder / name).unlink()
    VideoIngest.objects.update(detail={})
    row.detail = {}
    return row


def test_ingest_again_adds_what_older_ones_lack_and_keeps_the_rest(
    older: VideoIngest, media: Path
) -> None:
    proxy = media / older.folder / "proxy.mp4"
    before = (proxy.stat().st_ino, proxy.stat().st_mtime_ns)
    may_queue = ingest_report(older.video.dataset).may_queue
    [lacking] = map(ingest_item, ingested_videos(older.video.dataset))

    [job_id] = queue_ingest(dataset=older.video.dataset, actor=None)
    while_it_waits = VideoIngest.objects.get()
    ingest_videos(job_ids=[job_id])

    row = VideoIngest.objects.select_related("video__dataset").get()
    assert (may_queue, lacking.is_lacking, lacking.state) == (True, True, IngestState.PROXY)
    assert LACKING_DETAIL in lacking.detail
    assert (while_it_waits.folder, while_it_waits.detail) == (older.folder, {})
    assert (row.folder, row.job_id, row.job.status) == (older.folder, job_id, JobStatus.DONE)
    assert files_below(media / row.folder) == files_below(media) == [
        "frames.npz", "onsets.json", "proxy.mp4", "sound.bin", "sprite.jpg", "step-0000.jpg",
        "step-0001.jpg", "tiles-0000.jpg",
    ]  # fmt: skip
    assert (proxy.stat().st_ino, proxy.stat().st_mtime_ns) == before
    assert row.detail["rate"] == [30000, 1001]
    assert len((media / row.folder / "sound.bin").read_bytes()) == row.detail["sound"]["length"]
    assert not ingest_report(row.video.dataset).may_queue
    assert queue_ingest(dataset=row.video.dataset, actor=None) == []


def test_files_of_segments_tell_when_frames_of_an_uneven_recording_are_shown(
    tmp_path: Path, media: Path
) -> None:
    # In thirtieths of a second.
    times = [0, 1, 3, 4, 9, 10, 12, 13, 20, 21]
    dataset = linked(tmp_path / "recordings", {**FIT, "frame_count": len(times), "times": times})
    row = ingest(dataset)
    made = SegmentRoundFactory().round
    pieces = steps_of(("a", 0.0, 0.1), ("b", 0.1, 0.3), ("c", 0.42, 0.9))
    finish(made, dataset.takes.get(), UserFactory(), pieces)

    recordings = segmented_recordings(made, has_frame_times=True)
    header, *lines = csv.reader(table.lines(recordings, Settings()))

    assert row.video.is_rate_variable
    index = read_frame_index(tmp_path / "recordings" / "one.mp4")
    places = [header.index(name) for name in ("start_frame", "end_frame", "start_pts", "end_pts")]
    found = [[line[place] for place in places] for line in lines]
    frames = [(0, 1), (2, 3), (7, 9)]
    assert found == [
        [str(first), str(last), str(index.pts[first]), str(index.pts[last])]
        for first, last in frames
    ]
    assert {line[header.index("time_base")] for line in lines} == {str(index.time_base)}


def test_detail_is_queued_once_on_first_need(older: VideoIngest) -> None:
    jobs = [queue_detail(video=older.video) for _ in range(2)]
    ingest_videos(job_ids=jobs[0])

    assert [len(each) for each in jobs] == [1, 0]
    assert VideoIngest.objects.get().detail["rate"] == [30000, 1001]
    assert queue_detail(video=older.video) == []


def test_detail_that_failed_waits_for_somebody_to_ask(older: VideoIngest) -> None:
    [job_id] = queue_detail(video=older.video)
    Job.objects.filter(pk=job_id).update(status=JobStatus.FAILED)

    assert queue_detail(video=older.video) == []
    assert len(queue_ingest(dataset=older.video.dataset, actor=None)) == 1


def test_ingest_that_fails_to_add_what_lacks_leaves_the_rest_shown(
    older: VideoIngest, tmp_path: Path, media: Path, monkeypatch
) -> None:
    monkeypatch.setattr(ingest_work, "read_sound", lambda *args: 1 / 0)
    [job_id] = queue_ingest(dataset=older.video.dataset, actor=None)

    with contextlib.suppress(ZeroDivisionError):
        ingest_videos(job_ids=[job_id])

    row = VideoIngest.objects.get()
    assert (row.folder, row.detail, row.job.status) == (older.folder, {}, JobStatus.FAILED)
    assert files_below(media / row.folder) == files_below(media)
    assert ingest_report(older.video.dataset).may_queue
    monkeypatch.undo()
    ingest_videos(job_ids=queue_ingest(dataset=older.video.dataset, actor=None))
    assert VideoIngest.objects.get().detail["sound"]["per_second"] == 100


def test_ingest_report_asks_for_counts_and_no_recording_that_plays_as_it_is(
    dataset: Dataset, django_assert_num_queries
) -> None:
    ingest(dataset)

    with django_assert_num_queries(1):
        report = ingest_report(dataset)

    assert (report.counts, report.proxies, report.may_queue) == ({"as it is": 1}, (), False)


def test_ingest_report_counts_what_each_recording_says_of_itself() -> None:
    """States and lacks that are counted in SQL are those that an item tells, in all mixtures."""
    dataset = DatasetFactory()
    copy, proxy = {"name": "copy.mp4", "content": ""}, {"name": "proxy.mp4"}
    mixtures = product(
        ({}, {"fps": 30}), ({}, proxy, {"size": 1}), ({}, copy), (None, *JobStatus), (True, False)
    )
    for place, (detail, proxy_, copy_, status, is_finished) in enumerate(mixtures):
        job = status and Job.objects.create(
            kind="annotation.ingest", key=str(place), status=status, error="broken",
            lease_until=timezone.now() if status == JobStatus.RUNNING else None,
        )  # fmt: skip
        VideoIngestFactory(
            video=VideoFactory(dataset=dataset), detail=detail, proxy=proxy_, copy=copy_, job=job,
            **({} if is_finished else {"folder": "", "finished_at": None}),
        )  # fmt: skip
    VideoFactory(dataset=dataset)

    videos = list(ingested_videos(dataset))
    items = list(map(ingest_item, videos))
    report = ingest_report(dataset)

    assert report.counts == Counter(str(item.state) for item in items)
    assert [video.is_lacking for video in videos] == [item.is_lacking for item in items]
    assert [item.state for item in items] == sorted(
        (item.state for item in items), key=list(IngestState).index
    )
    assert {item.is_lacking for item in items} == {True, False}
