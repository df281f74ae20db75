"""Web servers and workers that share a database and a bucket, and no folder.

Each has a media and a state folder of its own, and between two steps another one goes on.
"""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from annotation.backends import made_files
from annotation.models import Dataset, JobStatus, User, Video, VideoIngest
from annotation.selectors.videos.media import frame_times
from annotation.services.corpus.datasets import delete_dataset
from annotation.services.corpus.uploads import UploadRequest, get_upload, keep_files
from annotation.services.videos.ingest import queue_ingest
from annotation.services.videos.ingest_work import ingest_videos
from annotation.services.videos.linking import link_videos
from annotation.services.videos.local_videos import local_file
from annotation.services.videos.tokens import video_url
from benchmarks.engine.training.course import Course
from benchmarks.models import FeatureSet
from benchmarks.selectors.features import arrays_of
from benchmarks.services.assessment_work import work_on_assessments
from benchmarks.services.assessments import cancel_assessment, resume_assessment
from benchmarks.services.feature_uploads import start_upload
from benchmarks.services.feature_work import make_features
from benchmarks.services.features import FeaturesRequest, delete_feature_set
from generation.models import ClipState, RunTake, TakeClip
from generation.services.clips.review import make_video
from generation.services.clips.uploads import upload_clip
from generation.services.run_work import work_on_takes
from generation.services.runs import delete_run
from tests.annotation.egooops_folder import write_egooops
from tests.annotation.ingesting import UNFIT, linked
from tests.benchmarks.asked import read_again
from tests.benchmarks.features.test_files import npy
from tests.benchmarks.training.planted import divided_set, planted, started
from tests.generation.by_hand import clip_file, run_by_hand, work_on
from tests.generation.filmed import film_dataset, take_of
from tests.storage import SiteStorage

pytestmark = pytest.mark.django_db(transaction=True)

On = Callable[[str], None]
PREFIX = "lab/made"


@pytest.fixture
def on(
    site_storage: SiteStorage,
    settings: Settings,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> On:
    """Return what makes the process one machine or another, each with its own folders."""
    writer = site_storage.server.writer
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", writer.access_key)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", writer.secret_key)
    # What stands between the two elsewhere only reads.
    settings.VIDEO_STORAGE_URL = site_storage.server.endpoint_url
    settings.MADE_FILES = f"s3://{site_storage.bucket}/{PREFIX}"

    def go_on(machine: str) -> None:
        settings.MEDIA_ROOT = tmp_path / machine / "media"
        settings.STATE_FOLDER = tmp_path / machine / "state"

    return go_on


def kept(storage: SiteStorage) -> list[str]:
    """The names of what lies in the bucket below the site's prefix."""
    pages = storage.server.client().get_paginator("list_objects_v2")
    listing = pages.paginate(Bucket=storage.bucket, Prefix=f"{PREFIX}/")
    keys = [item["Key"] for page in listing for item in page.get("Contents", [])]
    return [key.removeprefix(f"{PREFIX}/") for key in keys]


def lying_on(machine: str, tmp_path: Path) -> list[str]:
    """What lies in the media folder of a machine, without copies that may go at any time."""
    media = tmp_path / machine / "media"
    files = [path.relative_to(media) for path in media.rglob("*") if path.is_file()]
    return sorted(str(path) for path in files if path.parts[0] != ".fetched-videos")


def linked_to_bucket(storage: SiteStorage, dataset: Dataset, folder: Path) -> None:
    """Have recordings in the bucket alone, where no machine writes."""
    for path in sorted(folder.iterdir()):
        storage.put(f"recordings/{path.name}", path)
        path.unlink()
    address = f"s3://{storage.bucket}/recordings"
    link_videos(dataset=dataset, folder=address, pattern="{stem}.mp4")


def body_of(client: Client, url: str) -> bytes:
    response = client.get(url)
    assert response.status_code == 200, url
    return b"".join(response)


def test_files_are_uploaded_to_one_and_imported_by_the_other(
    on,
    site_storage,
    owner_client,
    tmp_path,
):
    path = write_egooops(tmp_path) / "meta" / "metadata.json"
    on("web-1")
    # Of any format: the files are looked at again where the format is chosen.
    files = [SimpleUploadedFile(path.name, path.read_bytes())]
    data = {"name": "Tea", "format": "egooops", "uploads": files}
    preview = owner_client.post(reverse("dataset-import"), data).url
    on("web-2")
    assert "Tea" in owner_client.get(preview).content.decode()
    on("web-1")
    owner_client.post(f"{preview}confirm/")

    assert Dataset.objects.get().name == "Tea"
    assert kept(site_storage) == []
    on("web-2")
    assert owner_client.get(preview).status_code == 404


def test_two_requests_at_once_bring_the_same_files(on, site_storage, owner, tmp_path):
    request = UploadRequest(dataset_name="Tea", format="egooops", is_shared=False)
    on("web-1")
    files = [SimpleUploadedFile(name, b"{}") for name in ("a.json", "b.json")]
    upload_id = keep_files(user=owner, files=files, request=request).upload_id
    on("web-2")
    unpack = shutil.unpack_archive

    def bring():
        return get_upload(user=owner, upload_id=upload_id, kind=UploadRequest)

    def overtaken(*words):
        patch.undo()
        unpack(*words)
        assert bring().file_names == ("a.json", "b.json")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(shutil, "unpack_archive", overtaken)
        brought = bring()

    assert brought.file_names == ("a.json", "b.json")
    left = (tmp_path / "web-2" / "state" / "uploads" / str(owner.pk) / upload_id).iterdir()
    assert sorted(path.name for path in left) == ["files", "request.json"]


def test_what_one_worker_ingests_is_watched_at_every_web_server(
    on,
    site_storage,
    owner_client,
    owner,
    tmp_path,
):
    on("web-1")
    dataset = linked(tmp_path / "recordings", UNFIT)
    Dataset.objects.update(owner=owner)
    linked_to_bucket(site_storage, dataset, tmp_path / "recordings")
    job_ids = queue_ingest(dataset=dataset, actor=owner)
    on("worker-1")
    ingest_videos(job_ids=job_ids)
    row = VideoIngest.objects.select_related("job", "video").get()
    on("web-2")

    assert row.job.status == JobStatus.DONE, row.job.error
    assert lying_on("worker-1", tmp_path) == []
    video = Video.objects.select_related("ingest").get()
    url = video_url(video, owner)
    assert body_of(owner_client, url)[4:8] == b"ftyp"
    part = owner_client.get(url, headers={"Range": "bytes=4-7"})
    assert (part.status_code, b"".join(part)) == (206, b"ftyp")
    assert body_of(owner_client, f"{url}sprite/")[:2] == b"\xff\xd8"
    times = frame_times(video)
    assert times is not None
    assert len(times.pts) == 60
    assert queue_ingest(dataset=dataset, actor=owner) == []
    names = kept(site_storage)
    assert {name.rpartition("/")[2] for name in names} >= {"proxy.mp4", "frames.npz", "sprite.jpg"}
    assert all(name.startswith(f"{row.folder}/") for name in names)
    delete_dataset(dataset=Dataset.objects.get(), actor=owner)
    assert kept(site_storage) == []


def upload_all(run_take: RunTake, folder: Path, actor: User) -> None:
    for clip in TakeClip.objects.filter(run_take=run_take, state=ClipState.UPLOAD):
        file = clip_file(folder, clip.duration_s)
        upload_clip(run_take=run_take, clip_id=clip.clip_id, file=file, actor=actor)


def test_a_run_is_made_by_whoever_is_free(
    on,
    site_storage,
    owner_client,
    owner,
    tmp_path,
):
    on("web-1")
    dataset = film_dataset(owner, tmp_path / "recordings")
    linked_to_bucket(site_storage, dataset, tmp_path / "recordings")
    run = run_by_hand(dataset, owner)
    on("worker-1")
    work_on(run)
    on("web-2")
    upload_all(take_of(run), tmp_path, owner)
    job_ids = make_video(run_take=take_of(run), actor=owner)
    on("worker-2")
    work_on_takes(job_ids=job_ids)
    take = take_of(run)
    on("web-1")

    assert take.job.status == JobStatus.DONE, take.job.error
    assert [lying_on(name, tmp_path) for name in ("web-1", "web-2", "worker-2")] == [[], [], []]
    made = reverse("take-video-file", args=[run.public_id, take.position])
    whole = body_of(owner_client, made)
    assert whole[4:8] == b"ftyp"
    video = take.published_trace.trace.video
    ingests = VideoIngest.objects.filter(video=video)
    on("worker-1")
    ingest_videos(job_ids=list(ingests.values_list("job_id", flat=True)))
    assert ingests.get().job.status == JobStatus.DONE, ingests.get().job.error
    on("web-2")
    assert body_of(owner_client, video_url(video, owner))[4:8] == b"ftyp"
    clip = take.clips.exclude(upload="").first()
    url = reverse("clip-video", args=[run.public_id, take.position, clip.clip_id])
    assert body_of(owner_client, url)[4:8] == b"ftyp"
    published = video.dataset
    delete_run(run=run, actor=owner)
    assert [name for name in kept(site_storage) if "/.clips/" in name] == []
    delete_dataset(dataset=published, actor=owner)
    assert kept(site_storage) == []


def test_features_are_uploaded_here_read_there_and_trained_on_elsewhere(
    on,
    site_storage,
    owner,
    sample,
    monkeypatch,
):
    on("web-1")
    uid = sample.traces.order_by("uid").first().uid
    files = [SimpleUploadedFile(f"{uid}.npy", npy(9, 3))]
    request = FeaturesRequest("Theirs")
    _, job_ids = start_upload(dataset=sample, request=request, files=files, actor=owner)
    on("worker-1")
    make_features(job_ids=job_ids)
    on("worker-2")
    uploaded = FeatureSet.objects.get()
    assert arrays_of(uploaded)[uid].shape == (9, 3)
    delete_feature_set(feature_set=uploaded, actor=owner)
    assert kept(site_storage) == []

    items = divided_set(sample, owner)
    on("worker-1")
    features = planted(items, owner)
    assessment, job_ids = started(items, [features], owner, epochs=4, seeds=1)
    step, steps = Course.step, []

    def step_and_cancel(course):
        steps.append(course)
        if len(steps) == 3:
            cancel_assessment(assessment=assessment, actor=owner)
        return step(course)

    monkeypatch.setattr(Course, "step", step_and_cancel)
    work_on_assessments(job_ids=job_ids)
    resume_assessment(assessment=read_again(assessment), actor=owner)
    on("worker-2")
    work_on_assessments(job_ids=job_ids)

    assert read_again(assessment).job.status == JobStatus.DONE
    # Two epochs were kept, and the one that was under way is trained again.
    assert len(steps) == 3 + 4 - 2
    assert {name.partition("/")[0] for name in kept(site_storage)} == {"features"}


def test_an_existing_site_is_sent_once_and_goes_on_from_the_storage(
    on,
    site_storage,
    owner_client,
    owner,
    settings,
    tmp_path,
    capsys,
):
    on("old")
    made_in, settings.MADE_FILES = settings.MADE_FILES, ""
    dataset = film_dataset(owner, tmp_path / "recordings")
    run = run_by_hand(dataset, owner)
    work_on(run)
    upload_all(take_of(run), tmp_path, owner)
    work_on_takes(job_ids=make_video(run_take=take_of(run), actor=owner))
    video = take_of(run).published_trace.trace.video
    job_ids = list(VideoIngest.objects.filter(video=video).values_list("job_id", flat=True))
    ingest_videos(job_ids=job_ids)
    with pytest.raises(CommandError, match="MADE_FILES is not set"):
        call_command("send_files")

    settings.MADE_FILES = made_in
    call_command("send_files")
    call_command("send_files")
    on("new")

    lines = capsys.readouterr().out.splitlines()
    count = len(lying_on("old", tmp_path))
    assert lines == [
        f"{count} files in {made_in}, {count} sent now",
        f"{count} files in {made_in}, 0 sent now",
    ]
    video = Video.objects.select_related("dataset", "ingest").get(pk=video.pk)
    assert body_of(owner_client, video_url(video, owner))[4:8] == b"ftyp"
    with local_file(video) as path:
        assert path.stat().st_size == video.size_bytes


def test_a_storage_that_cannot_be_reached_fails_the_job_and_leaves_nothing(
    on,
    site_storage,
    owner,
    settings,
    tmp_path,
):
    on("worker-1")
    dataset = linked(tmp_path / "recordings", UNFIT)
    job_ids = queue_ingest(dataset=dataset, actor=owner)
    settings.MADE_FILES = "s3://no-such-bucket/made"
    ingest_videos(job_ids=job_ids)

    row = VideoIngest.objects.select_related("job").get()
    assert row.job.status == JobStatus.FAILED
    assert "There is no bucket for s3://no-such-bucket/made/ingest/" in row.job.error
    assert row.folder == ""
    assert lying_on("worker-1", tmp_path) == []


def test_nothing_is_removed_without_a_name(on):
    on("web-1")
    with pytest.raises(ValueError, match="no name"):
        made_files.forget("")
