"""Recordings of an object storage in the browser: the answers of a folder, and no more."""

from datetime import UTC, datetime, timedelta

import pytest
from django.core import signing

from annotation.backends.media.quiet_files import SIZE_STEP_BYTES
from annotation.selectors.videos.ingest import BEING_PREPARED
from annotation.services.videos.ingest import queue_ingest
from annotation.services.videos.ingest_work import ingest_videos
from annotation.views.videos.videos import video_url
from tests.annotation.conftest import client_of
from tests.annotation.stored_videos import stored_video
from tests.factories import AssignmentFactory, TraceFactory, UserFactory
from tests.fakes.faulty_proxy import Fault
from tests.recordings import write_recording

CONTENT = bytes(range(256)) * 12_000
SIZE = len(CONTENT)
PART = 2 * 1024 * 1024


@pytest.fixture
def video(site_storage, owner):
    """Return a stored video of the owner's, of which nothing is made yet."""
    video = stored_video(site_storage)
    video.dataset.owner = owner
    video.dataset.save()
    return video


@pytest.fixture
def url(video, owner):
    return video_url(video, owner)


def body_of(response):
    return b"".join(response.streaming_content) if response.streaming else response.content


@pytest.mark.parametrize(
    ("asked", "first", "last"),
    [
        ("bytes=0-", 0, PART - 1),
        ("bytes=100-199", 100, 199),
        (f"bytes=3000000-{SIZE + 99}", 3_000_000, SIZE - 1),
        ("bytes=-5", SIZE - 5, SIZE - 1),
        (f"bytes=-{SIZE}", 0, PART - 1),
    ],
)
def test_part_is_what_was_asked_and_fetched_in_one_request(
    owner_client, site_storage, url, asked, first, last
):
    response = owner_client.get(url, headers={"Range": asked})

    assert response.status_code == 206
    assert body_of(response) == CONTENT[first : last + 1]
    assert response.headers["Content-Range"] == f"bytes {first}-{last}/{SIZE}"
    assert response.headers["Content-Length"] == str(last - first + 1)
    assert [item.sent_bytes for item in site_storage.proxy.gets()] == [last - first + 1]


def test_whole_object_comes_in_pieces_that_fit_into_memory(owner_client, site_storage, url):
    response = owner_client.get(url)
    begun = len(site_storage.proxy.gets())

    assert body_of(response) == CONTENT
    assert response.headers["Content-Type"] == "video/mp4"
    assert begun == 1
    assert [item.sent_bytes for item in site_storage.proxy.gets()] == [PART, SIZE - PART]


def test_range_beyond_the_end_asks_nothing(owner_client, site_storage, url):
    response = owner_client.get(url, headers={"Range": f"bytes={SIZE}-"})

    assert (response.status_code, response.headers["Content-Range"]) == (416, f"bytes */{SIZE}")
    assert site_storage.proxy.asked == []


def test_object_that_the_browser_has_is_neither_fetched_nor_sent(
    owner_client, site_storage, url, video
):
    etag = owner_client.head(url).headers["ETag"]

    response = owner_client.get(url, headers={"If-None-Match": etag})

    assert video.etag not in etag
    assert (response.status_code, body_of(response)) == (304, b"")
    assert site_storage.proxy.asked == []


def test_part_needs_the_same_object_when_the_browser_says_so(owner_client, url, video):
    etag = owner_client.head(url).headers["ETag"]
    tags = (etag, f'"{video.etag}"')
    headers = [{"Range": "bytes=0-9", "If-Range": tag} for tag in tags]

    responses = [owner_client.get(url, headers=item) for item in headers]

    assert [response.status_code for response in responses] == [206, 200]
    assert [len(body_of(response)) for response in responses] == [10, SIZE]


def test_head_says_the_same_and_fetches_nothing(owner_client, site_storage, url):
    response = owner_client.head(url, headers={"Range": "bytes=0-9"})

    assert (response.status_code, response.headers["Content-Length"]) == (206, "10")
    assert site_storage.proxy.gets() == []


def test_address_is_good_for_one_rater_only(client, url, site_storage):
    statuses = [other.get(url).status_code for other in (client_of(UserFactory()), client)]

    assert statuses == [404, 404]
    assert site_storage.proxy.asked == []


def test_address_of_somebody_who_was_shut_out_is_no_longer_good(owner_client, owner, url):
    owner.is_active = False
    owner.save()

    assert owner_client.get(url).status_code == 404


def test_address_expires(owner_client, site_storage, url, settings, monkeypatch):
    later = datetime.now(tz=UTC) + timedelta(hours=settings.VIDEO_URL_HOURS + 1, seconds=2)
    monkeypatch.setattr(signing.time, "time", later.timestamp)

    assert owner_client.get(url).status_code == 404
    assert site_storage.proxy.asked == []


def test_rater_waits_for_the_clean_copy_of_an_object(site_storage, video):
    rater = AssignmentFactory(trace=TraceFactory(dataset=video.dataset, video=video)).rater

    response = client_of(rater).get(video_url(video, rater), headers={"Range": "bytes=0-9"})

    assert (response.status_code, body_of(response).decode()) == (503, BEING_PREPARED)
    assert site_storage.proxy.asked == []


def test_rater_gets_the_clean_copy_of_an_object_from_this_machine(
    site_storage, owner, media, tmp_path
):
    recording = write_recording(tmp_path / "one.mp4", frame_count=30).read_bytes()
    video = stored_video(site_storage, "tea/two.mp4", recording)
    rater = AssignmentFactory(trace=TraceFactory(dataset=video.dataset, video=video)).rater
    ingest_videos(job_ids=queue_ingest(dataset=video.dataset, actor=None))
    asked = len(site_storage.proxy.asked)

    response = client_of(rater).get(video_url(video, rater))

    body = body_of(response)
    assert (response.status_code, len(body) % SIZE_STEP_BYTES) == (200, 0)
    assert [word for word in (b"x264", b"Lavf", b"Lavc") if word in body] == []
    assert b"x264" in recording
    assert len(site_storage.proxy.asked) == asked


def test_answer_tells_nothing_of_the_storage(owner_client, site_storage, url, video):
    response = owner_client.get(url, headers={"Range": "bytes=0-9"})

    told = url + "".join(f"{name}: {value}" for name, value in response.headers.items())
    # Each with a character that the random part of the address cannot have.
    for secret in (f"{site_storage.bucket}/", "tea/", video.path, "s3:", "127.0.0.1"):
        assert secret not in told.lower()


def test_object_that_changed_after_linking_is_not_found(owner_client, site_storage, url, caplog):
    site_storage.put("tea/one.mp4", CONTENT[::-1])

    response = owner_client.get(url, headers={"Range": "bytes=0-9"})

    assert response.status_code == 404
    assert "tea/one.mp4 was changed after it was linked" in caplog.text


def test_object_that_is_gone_is_not_found(owner_client, site_storage, url, caplog):
    site_storage.server.client().delete_object(Bucket=site_storage.bucket, Key="tea/one.mp4")

    assert owner_client.get(url).status_code == 404
    assert f"There is no s3://{site_storage.bucket}/tea/one.mp4" in caplog.text


@pytest.mark.parametrize(
    "faults",
    [[Fault(status=503)], [Fault(cut_after=5)], [Fault(status=500)]],
    ids=["overloaded", "broken off", "failing"],
)
def test_storage_that_stumbles_is_asked_again(owner_client, site_storage, url, faults):
    site_storage.proxy.faults.extend(faults)

    response = owner_client.get(url, headers={"Range": "bytes=0-99"})

    assert (response.status_code, body_of(response)) == (206, CONTENT[:100])


@pytest.mark.parametrize("fault", [Fault(status=503), Fault(cut_after=5)], ids=["down", "cut"])
def test_storage_that_fails_is_to_be_asked_later(owner_client, site_storage, url, fault):
    site_storage.proxy.faults.extend([fault] * 9)

    response = owner_client.get(url, headers={"Range": "bytes=0-99"})

    assert (response.status_code, response.headers["Retry-After"]) == (503, "5")


def test_storage_that_refuses_the_site_is_to_be_asked_later(
    owner_client, site_storage, url, monkeypatch
):
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "wrong")

    assert owner_client.get(url).status_code == 503


def test_site_without_the_storage_package_says_later(owner_client, url, monkeypatch, caplog):
    def missing(name):
        raise ModuleNotFoundError("No module named 'boto3'", name="boto3")

    monkeypatch.setattr("annotation.backends.site_storage.import_module", missing)

    assert owner_client.get(url).status_code == 503
    assert 'install PIE-V with the extra "s3"' in caplog.text
