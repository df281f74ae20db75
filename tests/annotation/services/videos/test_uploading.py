"""Recordings that people upload: checked by content, kept once, gone with what named them."""

from pathlib import Path

import pytest
from django.core.files.base import ContentFile
from django.core.files.uploadedfile import UploadedFile
from django.test import Client
from django.urls import reverse

from annotation.backends import made_files, video_uploads
from annotation.models import AuditEntry, Job, Take, Trace, Video
from annotation.selectors.videos.files import path_of
from annotation.selectors.videos.media import played_file
from annotation.selectors.videos.uploads import open_recordings, recording_of_file
from annotation.services.corpus.datasets import delete_dataset
from annotation.services.corpus.imports import ImportTarget, import_reading
from annotation.services.videos import uploading
from annotation.services.videos.ingest import JOB_KIND
from annotation.services.videos.ingest_work import ingest_videos
from annotation.services.videos.linking import link_videos
from annotation.services.videos.local_videos import local_file
from annotation.services.videos.uploading import SentVideo, upload_videos
from tests.annotation.readings import make_reading
from tests.video_files import write_video

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def media(settings, tmp_path: Path) -> Path:
    settings.MEDIA_ROOT = tmp_path / "media"
    return settings.MEDIA_ROOT


@pytest.fixture
def dataset(owner):
    """A data set of the recordings "good" and "bad", without videos."""
    import_reading(make_reading(), target=ImportTarget("Tea", "egooops", owner=owner))
    return owner.datasets.get()


@pytest.fixture
def clip(tmp_path: Path) -> bytes:
    return write_video(tmp_path / "clip.mp4", frame_count=300).read_bytes()


def post(client: Client, dataset, *files: tuple[str, bytes], recordings: tuple[str, ...] = ()):
    sent = [ContentFile(content, name) for name, content in files]
    address = reverse("dataset-upload", args=[dataset.public_id])
    data = {"files": sent, "recording": list(recordings)}
    response = client.post(address, data, follow=True)
    return [str(message) for message in response.context["messages"]]


def kept_files(media: Path) -> list[str]:
    paths = [path for path in media.rglob("*") if path.is_file()]
    return sorted(str(path.relative_to(media)) for path in paths)


def test_files_go_to_the_recordings_of_their_names(
    owner_client, dataset, clip, media, django_capture_on_commit_callbacks
):
    with django_capture_on_commit_callbacks():
        said = post(owner_client, dataset, ("good.MOV", clip), ("Bad.mp4", clip))

    assert said == ["2 recordings uploaded."]
    good, bad = Video.objects.get(stem="good"), Video.objects.get(stem="bad")
    assert (Take.objects.get().video, Trace.objects.get().video) == (good, bad)
    assert path_of(good).read_bytes() == clip
    folder = f"uploaded/{dataset.public_id}"
    assert kept_files(media) == sorted([f"{folder}/{good.path}", f"{folder}/{bad.path}"])
    assert Job.objects.filter(kind=JOB_KIND).count() == 2
    assert AuditEntry.objects.filter(action="dataset.upload_video").count() == 2


def test_a_file_of_another_name_goes_to_the_chosen_recording(owner_client, dataset, clip):
    said = post(owner_client, dataset, ("GX01.mp4", clip), recordings=("bad",))

    assert said == ["1 recording uploaded."]
    assert [video.stem for video in Video.objects.all()] == ["bad"]


@pytest.mark.parametrize(
    ("name", "content", "recordings", "message"),
    [
        ("GX01.mp4", None, (), "no recording without a video is called so; choose"),
        ("GX01.mp4", None, ("ugly",), "this data set has no recording ugly"),
        ("good.mp4", b"<html>not a video</html>", (), "good.mp4: "),
        ("good.mp4", b"", (), "good.mp4: is empty"),
    ],
)
def test_what_is_refused_leaves_nothing(
    owner_client, dataset, clip, media, name, content, recordings, message
):
    sent = (name, clip if content is None else content)
    if content == b"":
        path = media / "empty.part"
        media.mkdir(parents=True)
        with path.open("w+b") as file:
            empty = SentVideo(UploadedFile(file, name, size=0))
            report = upload_videos(dataset=dataset, sent=[empty], actor=dataset.owner)
        path.unlink()
        said = [f"{note.file}: {note.message}" for note in report.refused]
    else:
        said = post(owner_client, dataset, sent, recordings=recordings)

    assert len(said) == 1
    assert message in said[0]
    assert kept_files(media) == []
    assert not Video.objects.exists()


def test_a_data_set_that_is_deleted_while_a_file_is_looked_at_keeps_none(
    dataset, clip, media, monkeypatch
):
    probe = uploading.probe_video

    def deleting_probe(path):
        delete_dataset(dataset=dataset, actor=None)
        return probe(path)

    monkeypatch.setattr(uploading, "probe_video", deleting_probe)
    media.mkdir(parents=True)
    path = media / "sent.part"
    path.write_bytes(clip)
    with path.open("r+b") as file:
        sent = SentVideo(UploadedFile(file, "good.mp4", size=len(clip)))
        report = upload_videos(dataset=dataset, sent=[sent], actor=dataset.owner)
    path.unlink()

    assert [note.message for note in report.refused] == ["Tea was deleted just now"]
    assert kept_files(media) == []


def test_a_file_over_the_limit_is_named_with_size_and_limit(
    owner_client, dataset, clip, media, settings
):
    settings.VIDEO_UPLOAD_LIMIT_MB = 1
    large = clip + bytes(2 << 20)

    said = post(owner_client, dataset, ("good.mp4", large), ("x.mp4", clip), recordings=("", "bad"))

    size = f"{len(large) / (1 << 20):.1f} MB"
    assert said == ["1 recording uploaded.", f"good.mp4: has {size}; an upload may have 1 MB."]
    # The recording that was chosen for the second file is not taken for the first.
    assert [video.stem for video in Video.objects.all()] == ["bad"]
    assert len(kept_files(media)) == 1


def test_a_full_disk_is_said_before_it_is_full(owner_client, dataset, clip, media, monkeypatch):
    monkeypatch.setattr(video_uploads, "KEPT_FREE_BYTES", 1 << 60)

    said = post(owner_client, dataset, ("good.mp4", clip))

    assert said[0].endswith("the server's disk has no room for it.")
    assert kept_files(media) == []


def test_an_upload_replaces_the_one_before(
    owner_client, dataset, clip, media, django_capture_on_commit_callbacks
):
    with django_capture_on_commit_callbacks(execute=True):
        post(owner_client, dataset, ("good.mp4", clip))
    first = Video.objects.get()
    with django_capture_on_commit_callbacks(execute=True):
        post(owner_client, dataset, ("good.mp4", clip))

    again = Video.objects.get()
    assert again.public_id == first.public_id
    assert kept_files(media) == [f"{again.folder}/{again.path}"]
    assert again.path != first.path


def test_linking_a_folder_keeps_uploads_that_it_lacks(
    owner_client, dataset, clip, media, tmp_path, django_capture_on_commit_callbacks
):
    post(owner_client, dataset, ("good.mp4", clip), ("bad.mp4", clip))
    (tmp_path / "videos").mkdir()
    (tmp_path / "videos" / "bad.mp4").write_bytes(clip)

    with django_capture_on_commit_callbacks(execute=True):
        report = link_videos(dataset=dataset, folder=str(tmp_path / "videos"), pattern="{stem}.mp4")

    assert report.linked == ("bad",)
    assert [note.message for note in report.warnings] == ["no such file; its upload stays"]
    good, bad = Video.objects.get(stem="good"), Video.objects.get(stem="bad")
    assert path_of(good).read_bytes() == clip
    assert path_of(bad) == (tmp_path / "videos" / "bad.mp4").resolve()
    assert kept_files(media) == [f"{good.folder}/{good.path}"]


def test_a_linked_recording_takes_no_upload(owner_client, dataset, clip, tmp_path):
    (tmp_path / "videos").mkdir()
    (tmp_path / "videos" / "bad.mp4").write_bytes(clip)
    link_videos(dataset=dataset, folder=str(tmp_path / "videos"), pattern="{stem}.mp4")

    said = post(owner_client, dataset, ("x.mp4", clip), recordings=("bad",))

    assert said == ["x.mp4: bad has a video, which is linked from a folder."]


def test_uploads_go_with_their_data_set(
    owner_client, owner, dataset, clip, media, django_capture_on_commit_callbacks
):
    post(owner_client, dataset, ("good.mp4", clip))

    with django_capture_on_commit_callbacks(execute=True):
        delete_dataset(dataset=dataset, actor=owner)

    assert kept_files(media) == []


def test_names_after_the_pattern_find_their_recording(dataset):
    dataset.video_pattern = "{scenario}/cam_{stem}.MP4"

    recordings = open_recordings(dataset)

    assert recording_of_file("CAM_good.mp4", recordings).stem == "good"
    assert recording_of_file(r"C:\films\good.webm", recordings).stem == "good"
    assert recording_of_file("cam_ugly.mp4", recordings) is None


def test_nobody_else_uploads(client, annotator, outsider, dataset, clip, media):
    address = reverse("dataset-upload", args=[dataset.public_id])
    answers = []
    for person in (None, annotator, outsider):
        if person is not None:
            client.force_login(person)
        answers.append(client.post(address).status_code)

    assert answers == [403, 403, 404]
    assert kept_files(media) == []


def test_an_upload_without_the_token_of_the_form_is_refused(owner, dataset, clip, media):
    client = Client(enforce_csrf_checks=True)
    client.force_login(owner)

    response = client.post(reverse("dataset-upload", args=[dataset.public_id]), {"x": "1"})

    assert response.status_code == 403
    assert kept_files(media) == []


def test_scripts_upload_too(owner_client, dataset, clip):
    address = reverse("api-dataset-upload", args=[dataset.public_id])
    files = [ContentFile(clip, "good.mp4"), ContentFile(b"no video", "bad.mp4")]

    answer = owner_client.post(address, {"files": files})
    none = owner_client.post(address, {"files": [ContentFile(b"no video", "bad.mp4")]})

    assert answer.json()["uploaded"] == ["good"]
    assert [note["file"] for note in answer.json()["refused"]] == ["bad.mp4"]
    assert none.status_code == 400
    assert none.json()["detail"].startswith("bad.mp4: ")


def test_uploads_are_kept_in_the_storage_for_made_files(
    owner_client,
    owner,
    dataset,
    clip,
    media,
    settings,
    monkeypatch,
    site_storage,
    django_capture_on_commit_callbacks,
):
    writer = site_storage.server.writer
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", writer.access_key)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", writer.secret_key)
    # The proxy of the tests only reads.
    settings.VIDEO_STORAGE_URL = site_storage.server.endpoint_url
    settings.MADE_FILES = f"s3://{site_storage.bucket}/made"

    post(owner_client, dataset, ("good.mp4", clip))

    video = Video.objects.get()
    assert video.etag
    assert kept_files(media) == []
    with local_file(video) as path:
        assert path.read_bytes() == clip
    ingest_videos(job_ids=list(Job.objects.values_list("pk", flat=True)))
    assert played_file(Video.objects.get()) is not None
    with django_capture_on_commit_callbacks(execute=True):
        delete_dataset(dataset=dataset, actor=owner)
    assert not made_files.is_kept(f"{video.folder}/{video.path}")
