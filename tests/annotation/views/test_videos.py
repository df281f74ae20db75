"""Recordings: byte ranges as browsers ask for them, and addresses that work for one rater only."""

from datetime import UTC, datetime, timedelta

import pytest
from django.core import signing
from django.urls import reverse

from annotation.views import byte_ranges
from annotation.views.videos import content_type, pictures_url, video_url
from tests.annotation.conftest import client_of
from tests.factories import DatasetFactory, UserFactory, VideoFactory, VideoIngestFactory

CONTENT = bytes(range(256)) * 40
SIZE = len(CONTENT)


@pytest.fixture
def video(tmp_path, db):
    folder = tmp_path / "recordings"
    folder.mkdir()
    (folder / "one.mp4").write_bytes(CONTENT)
    return VideoFactory(dataset=DatasetFactory(video_folder=str(folder)), path="one.mp4")


@pytest.fixture
def url(video, annotator):
    return video_url(video, annotator)


def body_of(response):
    return b"".join(response.streaming_content) if response.streaming else response.content


def test_video_comes_whole_without_a_range(annotator_client, url):
    response = annotator_client.get(url)

    assert response.status_code == 200
    assert body_of(response) == CONTENT
    assert response.headers["Content-Type"] == "video/mp4"
    assert response.headers["Accept-Ranges"] == "bytes"
    assert response.headers["Content-Length"] == str(SIZE)


@pytest.mark.parametrize(
    ("asked", "first", "last"),
    [
        ("bytes=0-", 0, SIZE - 1),
        ("bytes=100-199", 100, 199),
        ("bytes=10000-999999", 10000, SIZE - 1),
        ("bytes=-5", SIZE - 5, SIZE - 1),
        ("bytes=-999999", 0, SIZE - 1),
        ("bytes = 0-0", 0, 0),
    ],
)
def test_video_part_is_what_was_asked(annotator_client, url, asked, first, last):
    response = annotator_client.get(url, headers={"Range": asked})

    assert response.status_code == 206
    assert body_of(response) == CONTENT[first : last + 1]
    assert response.headers["Content-Range"] == f"bytes {first}-{last}/{SIZE}"
    assert response.headers["Content-Length"] == str(last - first + 1)


@pytest.mark.parametrize("end", ["", str(SIZE - 1)])
def test_video_to_the_end_comes_in_parts(annotator_client, url, monkeypatch, end):
    monkeypatch.setattr(byte_ranges, "PART_BYTES", 4000)
    parts, first = [], 0

    while first < SIZE:
        response = annotator_client.get(url, headers={"Range": f"bytes={first}-{end}"})
        parts.append(body_of(response))
        first += len(parts[-1])

    assert b"".join(parts) == CONTENT
    assert [len(part) for part in parts] == [4000, 4000, SIZE - 8000]
    assert response.headers["Content-Range"] == f"bytes 8000-{SIZE - 1}/{SIZE}"


@pytest.mark.parametrize(
    "asked", ["bytes=0-1,5-6", "pages=1-2", "bytes=9-3", "bytes=", "bytes=a-b"]
)
def test_video_comes_whole_for_a_range_that_is_not_one(annotator_client, url, asked):
    response = annotator_client.get(url, headers={"Range": asked})

    assert response.status_code == 200
    assert body_of(response) == CONTENT


@pytest.mark.parametrize("asked", [f"bytes={'9' * 5000}-", f"bytes=-{'9' * 5000}", "bytes=\u0661-"])
def test_video_comes_whole_for_numbers_that_no_file_has(annotator_client, url, asked):
    response = annotator_client.get(url, headers={"Range": asked})

    assert response.status_code == 200
    assert body_of(response) == CONTENT


@pytest.mark.parametrize("asked", [f"bytes={SIZE}-", "bytes=-0"])
def test_video_range_beyond_the_end_is_refused(annotator_client, url, asked):
    response = annotator_client.get(url, headers={"Range": asked})

    assert response.status_code == 416
    assert response.headers["Content-Range"] == f"bytes */{SIZE}"


def test_video_head_says_the_same_and_sends_nothing(annotator_client, url):
    response = annotator_client.head(url, headers={"Range": "bytes=0-9"})

    assert response.status_code == 206
    assert response.headers["Content-Length"] == "10"
    assert response.content == b""


def test_video_part_needs_the_same_file_when_the_browser_says_so(annotator_client, url):
    tags = annotator_client.get(url).headers
    same = {"Range": "bytes=0-9", "If-Range": tags["ETag"]}
    dated = {"Range": "bytes=0-9", "If-Range": tags["Last-Modified"]}
    other = {"Range": "bytes=0-9", "If-Range": '"another"'}

    statuses = [
        annotator_client.get(url, headers=item).status_code for item in (same, dated, other)
    ]

    assert statuses == [206, 206, 200]


def test_video_that_the_browser_has_is_not_sent_again(annotator_client, url):
    etag = annotator_client.get(url).headers["ETag"]

    response = annotator_client.get(url, headers={"If-None-Match": etag})

    assert (response.status_code, body_of(response)) == (304, b"")


def test_video_address_of_another_rater_is_not_there(client, url):
    assert client_of(UserFactory()).get(url).status_code == 404
    assert client.get(url).status_code == 404


def test_video_address_expires(annotator_client, url, settings, monkeypatch):
    later = datetime.now(tz=UTC) + timedelta(hours=settings.VIDEO_URL_HOURS, seconds=2)
    monkeypatch.setattr(signing.time, "time", later.timestamp)

    assert annotator_client.get(url).status_code == 404


def test_video_address_cannot_be_forged(annotator_client, video, annotator):
    forged = signing.dumps([video.public_id, annotator.pk], key="guessed", salt="annotation.video")
    elsewhere = signing.dumps([video.public_id, annotator.pk], salt="another.use")

    for token in (forged, elsewhere, "nonsense"):
        assert annotator_client.get(reverse("video", args=[token])).status_code == 404


def test_video_outside_its_folder_is_never_sent(annotator_client, annotator, video, tmp_path):
    (tmp_path / "secret.mp4").write_bytes(b"secret")
    (tmp_path / "recordings" / "link.mp4").symlink_to(tmp_path / "secret.mp4")

    for path in ("../secret.mp4", str(tmp_path / "secret.mp4"), "link.mp4", "gone.mp4", "."):
        video.path = path
        video.save()
        assert annotator_client.get(video_url(video, annotator)).status_code == 404


def test_video_without_a_folder_is_not_there(annotator_client, annotator, video):
    video.dataset.video_folder = ""
    video.dataset.save()

    assert annotator_client.get(video_url(video, annotator)).status_code == 404


def test_video_takes_no_post(annotator_client, url):
    assert annotator_client.post(url).status_code == 405


def test_video_address_tells_nothing_of_the_recording(video, url):
    assert video.stem not in url
    assert video.dataset.name not in url


@pytest.fixture
def ingest(video, tmp_path, settings):
    """Return an ingestion of the video, with a proxy and both of its pictures in place."""
    settings.MEDIA_ROOT = tmp_path / "media"
    proxy = {"width": 320, "height": 180, "frame_rate": 25.0}
    row = VideoIngestFactory(video=video, proxy=proxy)
    folder = settings.MEDIA_ROOT / row.folder
    folder.mkdir(parents=True)
    for name in ("proxy.mp4", "sprite.jpg", "step-0000.jpg", "step-0001.jpg"):
        (folder / name).write_bytes(name.encode())
    return row


def test_video_sends_the_proxy_where_there_is_one(annotator_client, ingest, video, url):
    video.container = "avi"
    video.save()

    response = annotator_client.get(url, headers={"Range": "bytes=2-"})

    assert (response.status_code, body_of(response)) == (206, b"oxy.mp4")
    assert response.headers["Content-Type"] == "video/mp4"


def test_video_sends_the_recording_while_its_proxy_is_made_again(annotator_client, ingest, url):
    type(ingest).objects.update(folder="", finished_at=None)

    assert body_of(annotator_client.get(url)) == CONTENT


@pytest.mark.parametrize("name", ["sprite", "step-0000"])
def test_video_picture_is_sent_as_a_picture(annotator_client, annotator, ingest, video, name):
    response = annotator_client.get(f"{pictures_url(video, annotator)}{name}/")

    assert (response.status_code, body_of(response)) == (200, f"{name}.jpg".encode())
    assert response.headers["Content-Type"] == "image/jpeg"
    assert response.headers["Cache-Control"].startswith("private")


# step-0001 lies in the folder, but the recording does not know it.
@pytest.mark.parametrize("name", ["step-0001", "step-0009", "proxy", "proxy.mp4", "..", "%2e%2e"])
def test_video_picture_of_another_name_is_not_there(
    annotator_client, annotator, ingest, video, name
):
    assert annotator_client.get(f"{pictures_url(video, annotator)}{name}/").status_code == 404


def test_video_picture_address_of_another_rater_is_not_there(client, annotator, ingest, video):
    address = f"{pictures_url(video, annotator)}sprite/"

    assert client_of(UserFactory()).get(address).status_code == 404
    assert client.get(address).status_code == 404


@pytest.mark.parametrize(
    ("container", "expected"),
    [
        ("mov,mp4,m4a,3gp,3g2,mj2", "video/mp4"),
        ("matroska,webm", "video/webm"),
        ("ogg", "video/ogg"),
        ("something", "application/octet-stream"),
    ],
)
def test_content_type_follows_the_probed_container(container, expected):
    assert content_type(container) == expected
