"""Linking videos of an object storage: what is found, how much is asked, and every refusal."""

from dataclasses import replace
from pathlib import Path

import pytest
from pytest_django import Settings

from annotation.engine.corpus.procedure import Reading
from annotation.models import AuditEntry, Dataset, Trace, User, Video
from annotation.services.corpus.imports import ImportTarget, import_reading
from annotation.services.videos import object_videos
from annotation.services.videos.linking import FileNote, VideoLinkError, link_videos
from tests.annotation.readings import make_reading, make_take
from tests.fakes.faulty_proxy import Fault
from tests.storage import SiteStorage
from tests.video_files import write_video

pytestmark = pytest.mark.django_db


@pytest.fixture
def dataset() -> Dataset:
    """Return a data set of the recordings "good" (6 s) and "bad" (7 s)."""
    import_reading(make_reading(), target=ImportTarget("Tea", "egooops"))
    return Dataset.objects.get()


@pytest.fixture(scope="module")
def clip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_video(tmp_path_factory.mktemp("clips") / "clip.mp4", frame_count=300)


@pytest.fixture
def filled(site_storage: SiteStorage, clip: Path) -> SiteStorage:
    for stem in ("good", "bad"):
        site_storage.put(f"tea/{stem}.mp4", clip)
    return site_storage


def link(storage: SiteStorage, folder: str = "tea", pattern: str = "{stem}.mp4", **options: object):
    address = f"s3://{storage.bucket}/{folder}"
    return link_videos(dataset=Dataset.objects.get(), folder=address, pattern=pattern, **options)


def test_objects_are_linked_as_what_they_are(dataset, filled, clip) -> None:
    report = link(filled)

    dataset.refresh_from_db()
    video = Video.objects.get(stem="good")
    found = filled.server.client().head_object(Bucket=filled.bucket, Key="tea/good.mp4")
    assert report.to_dict() == {"linked": 2, "missing": [], "refused": [], "warnings": []}
    assert (video.path, video.etag, video.size_bytes, video.duration_s) == (
        "good.mp4", found["ETag"].strip('"'), clip.stat().st_size, 10.0,
    )  # fmt: skip
    assert dataset.video_folder == f"s3://{filled.bucket}/tea"
    assert Trace.objects.get().video == Video.objects.get(stem="bad")
    assert AuditEntry.objects.get(action="dataset.link_videos").detail["linked"] == 2


def test_objects_are_found_by_scenario_in_the_whole_bucket(dataset, site_storage, clip) -> None:
    site_storage.put("Tea/good.mp4", clip)

    report = link(site_storage, "", "{scenario}/{stem}.mp4")

    assert report.linked == ("good",)
    assert report.missing == (FileNote("bad", "Tea/bad.mp4", "no such file"),)
    assert Dataset.objects.get().video_folder == f"s3://{site_storage.bucket}"


def test_objects_are_listed_instead_of_asked_for_one_by_one(dataset, filled) -> None:
    link(filled)

    lists = [item for item in filled.proxy.asked if item.query]
    heads = [item for item in filled.proxy.asked if item.method == "HEAD"]
    assert (len(lists), heads) == (1, [])


def test_objects_are_asked_for_where_lists_would_be_too_long(dataset, filled, monkeypatch) -> None:
    """With 5 keys a page and 2 pages at most, "good" lies behind the last key that is listed."""
    for index in range(12):
        filled.put(f"tea/c{index:02}.mp4", b"other")
    monkeypatch.setattr("annotation.backends.s3_storage.PAGE_KEYS", 5)
    monkeypatch.setattr(object_videos, "MIN_PAGES", 2)

    report = link(filled)

    lists = [item for item in filled.proxy.asked if item.query]
    heads = [item.path for item in filled.proxy.asked if item.method == "HEAD"]
    assert report.linked == ("good", "bad")
    assert (len(lists), heads) == (2, [f"/{filled.bucket}/tea/good.mp4"])


def test_probe_fetches_less_than_a_long_object(dataset, filled, tmp_path) -> None:
    clip = write_video(tmp_path / "raw.avi", frame_count=2000, codec="rawvideo")
    filled.put("tea/good.mp4", clip)

    report = link(filled)

    fetched = sum(item.sent_bytes for item in filled.proxy.gets() if "good" in item.path)
    assert report.linked == ("good", "bad")
    assert clip.stat().st_size > 8_000_000
    assert fetched < clip.stat().st_size / 4


def test_objects_may_be_linked_without_the_right_to_list(dataset, site_storage, clip) -> None:
    client = site_storage.server.client()
    bucket = f"unlisted-{site_storage.bucket}"
    client.create_bucket(Bucket=bucket)
    client.put_object(Bucket=bucket, Key="tea/good.mp4", Body=clip.read_bytes())

    report = link_videos(dataset=dataset, folder=f"s3://{bucket}/tea", pattern="{stem}.mp4")

    assert report.linked == ("good",)
    # Whoever may not list is told of no object whether it is missing or shut.
    assert [note.stem for note in (*report.missing, *report.refused)] == ["bad"]


def test_object_that_is_no_video_is_refused_and_the_other_linked(dataset, filled) -> None:
    filled.put("tea/bad.mp4", b"not a video")

    report = link(filled)

    message = "is damaged, or not a video in MP4, MOV, WebM, Matroska, AVI, MPEG-TS or Ogg"
    assert report.linked == ("good",)
    assert report.refused == (FileNote("bad", "bad.mp4", message),)


def test_empty_object_is_refused(dataset, filled) -> None:
    filled.put("tea/bad.mp4", b"")

    assert link(filled).refused == (FileNote("bad", "bad.mp4", "is empty"),)


def test_object_that_may_not_be_read_is_refused(dataset, filled, clip) -> None:
    import_reading(
        Reading(takes=(make_take("denied"), make_take("good"))),
        target=ImportTarget("Two", "egooops"),
    )
    filled.put("denied.mp4", clip)
    filled.put("good.mp4", clip)

    report = link_videos(
        dataset=Dataset.objects.get(name="Two"),
        folder=f"s3://{filled.bucket}",
        pattern="{stem}.mp4",
    )

    message = f"Access to s3://{filled.bucket}/denied.mp4 was denied (AccessDenied)."
    assert report.linked == ("good",)
    assert report.refused == (FileNote("denied", "denied.mp4", message),)


def test_object_that_changes_while_it_is_probed_is_refused(dataset, filled) -> None:
    filled.proxy.faults.append(Fault(headers={"ETag": '"another"'}))

    report = link(filled)

    assert len(report.linked) == 1
    assert report.refused[0].message.endswith("was changed after it was linked.")


@pytest.mark.parametrize(
    ("folder", "message"),
    [
        ("s3://", "names no bucket"),
        ("s3://Big_Bucket/tea", "names no bucket"),
        ("s3:tea", "is no storage prefix"),
        ("S3://bucket/tea", "is no storage prefix"),
        ("s3://bucket//tea", "cannot be used"),
        ("s3://bucket/../tea", "cannot be used"),
        ("s3://bucket/" + "a" * 600, "longer than 500"),
        ("s3://no-such-bucket-here/tea", "There is no bucket for s3://no-such-bucket-here/tea/ at"),
    ],
)
def test_prefix_that_cannot_be_used_is_named(dataset, site_storage, folder, message) -> None:
    with pytest.raises(VideoLinkError) as caught:
        link_videos(dataset=dataset, folder=folder, pattern="{stem}.mp4")

    assert message in str(caught.value)
    assert Dataset.objects.get().video_folder == ""


def test_bucket_that_is_shut_is_named(dataset, site_storage) -> None:
    bucket = f"shut-{site_storage.bucket}"
    site_storage.server.client().create_bucket(Bucket=bucket)

    # Which recording comes first depends on the ids that the takes were given.
    message = rf"Access to s3://{bucket}/tea/(good|bad)\.mp4 was denied"
    with pytest.raises(VideoLinkError, match=message):
        link_videos(dataset=dataset, folder=f"s3://{bucket}/tea", pattern="{stem}.mp4")

    assert Dataset.objects.get().video_folder == ""


def test_prefix_without_any_object_writes_nothing(dataset, filled) -> None:
    with pytest.raises(VideoLinkError, match=r"None of the 2 recordings .* good\.MOV"):
        link(filled, pattern="{stem}.MOV")

    assert Dataset.objects.get().video_folder == ""


def test_wrong_keys_write_nothing(dataset, filled, monkeypatch) -> None:
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "wrong")

    with pytest.raises(VideoLinkError, match=rf"refuses our keys for s3://{filled.bucket}/tea"):
        link(filled)

    assert Dataset.objects.get().video_folder == ""


def test_storage_that_does_not_answer_writes_nothing(dataset, filled, settings) -> None:
    settings.VIDEO_STORAGE_URL = "http://127.0.0.1:9"

    with pytest.raises(VideoLinkError, match=r"http://127\.0\.0\.1:9 gave no complete answer"):
        link(filled)

    assert Dataset.objects.get().video_folder == ""


def test_storage_that_fails_while_probing_writes_nothing_and_keeps_what_was(
    dataset, filled
) -> None:
    link(filled)
    before = list(Video.objects.values_list("stem", "public_id", "etag"))
    filled.put("other/good.mp4", b"another")
    filled.proxy.faults.extend([Fault(status=503)] * 50)

    with pytest.raises(VideoLinkError, match=r"fails for s3://.*/tea/\w+\.mp4 \(503"):
        link(filled)

    assert list(Video.objects.values_list("stem", "public_id", "etag")) == before
    assert AuditEntry.objects.filter(action="dataset.link_videos").count() == 1


def test_linking_again_keeps_the_public_ids_and_takes_the_new_content(
    dataset, filled, tmp_path
) -> None:
    link(filled)
    before = Video.objects.get(stem="good")
    filled.put("tea/good.mp4", write_video(tmp_path / "new.mp4", frame_count=240))

    link(filled)

    after = Video.objects.get(stem="good")
    assert (after.public_id, after.duration_s) == (before.public_id, 8.0)
    assert after.etag != before.etag


def test_linking_a_folder_again_forgets_the_etag(dataset, filled, tmp_path, clip) -> None:
    link(filled)
    for stem in ("good", "bad"):
        (tmp_path / f"{stem}.mp4").write_bytes(clip.read_bytes())

    link_videos(dataset=dataset, folder=str(tmp_path), pattern="{stem}.mp4")

    assert set(Video.objects.values_list("etag", flat=True)) == {""}


@pytest.mark.parametrize("stem", ["../outside", "/etc/passwd", "a/../../outside", "a//b", "a\nb"])
def test_name_that_leads_out_of_the_prefix_is_refused(site_storage, clip, stem) -> None:
    takes = tuple(replace(make_take(name), steps=()) for name in (stem, "good"))
    import_reading(Reading(takes=takes), target=ImportTarget("Tea", "egooops"))
    for key in ("tea/good.mp4", "outside.mp4", "tea/outside.mp4"):
        site_storage.put(key, clip)

    report = link(site_storage)

    assert report.linked == ("good",)
    assert [note.stem for note in report.refused] == [stem]


def test_researcher_links_below_the_opened_prefixes_only(
    dataset, filled, owner: User, settings: Settings
) -> None:
    settings.VIDEO_ROOTS = ["/videos", f"s3://{filled.bucket}/tea"]
    places = ("", "te", "teapots", "../tea")
    refusals = []

    for place in places:
        with pytest.raises(VideoLinkError) as caught:
            link(filled, place, actor=owner)
        refusals.append(str(caught.value))

    allowed = f"You may link videos from these folders only: /videos, s3://{filled.bucket}/tea."
    assert refusals[:3] == [allowed] * 3
    assert filled.proxy.asked == []
    assert link(filled, "tea", actor=owner).linked == ("good", "bad")


def test_administrator_links_any_prefix(dataset, filled, administrator: User) -> None:
    assert link(filled, actor=administrator).linked == ("good", "bad")


def test_site_without_the_storage_package_says_so(dataset, filled, monkeypatch) -> None:
    def missing(name):
        raise ModuleNotFoundError("No module named 'boto3'", name="boto3")

    monkeypatch.setattr("annotation.backends.site_storage.import_module", missing)

    with pytest.raises(VideoLinkError, match=r'not installed \(boto3\); install PIE-V .* "s3"'):
        link(filled)
