"""Recordings: byte ranges as browsers ask for them, and addresses that work for one rater only."""

import base64
import hashlib
import re
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from django.core import signing
from django.urls import reverse
from django.utils.http import http_date

from annotation import byte_ranges
from annotation.backends.stored_content import hashed_version
from annotation.models import Job, JobStatus, Role, Round
from annotation.selectors.videos.access import watchable_videos
from annotation.selectors.videos.ingest import BEING_PREPARED, NOT_PREPARED
from annotation.services.campaigns.campaigns import remove_rater
from annotation.services.videos.ingest import JOB_KIND
from annotation.services.videos.tokens import TokenError, read_token
from annotation.views.videos.videos import content_type, pictures_url, video_url
from tests.annotation.conftest import client_of
from tests.factories import (
    AssignmentFactory,
    DatasetFactory,
    SegmentationFactory,
    TakeFactory,
    TraceFactory,
    UserFactory,
    VideoFactory,
    VideoIngestFactory,
)

CONTENT = bytes(range(256)) * 40
# What every answer of the site carries.
SITE_HEADERS = {
    "Content-Security-Policy",
    "Cross-Origin-Opener-Policy",
    "Referrer-Policy",
    "Vary",
    "X-Content-Type-Options",
    "X-Frame-Options",
    "X-Request-ID",
}
SIZE = len(CONTENT)


@pytest.fixture
def video(unprepared, settings):
    """Return a video that the annotator is to rate, with a clean copy of the same bytes."""
    row = VideoIngestFactory(video=unprepared)
    path = settings.MEDIA_ROOT / row.folder / "copy.mp4"
    path.parent.mkdir(parents=True)
    path.write_bytes(CONTENT)
    return unprepared


@pytest.fixture
def unprepared(tmp_path, annotator, settings):
    """Return a video that the annotator is to rate, of which nothing is made yet."""
    settings.MEDIA_ROOT = tmp_path / "media"
    folder = tmp_path / "recordings"
    folder.mkdir()
    (folder / "one.mp4").write_bytes(CONTENT)
    video = VideoFactory(dataset=DatasetFactory(video_folder=str(folder)), path="one.mp4")
    AssignmentFactory(trace=TraceFactory(dataset=video.dataset, video=video), rater=annotator)
    return video


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


def test_video_part_needs_the_same_file_when_the_browser_says_so(
    annotator_client, url, video, settings
):
    etag = annotator_client.get(url).headers["ETag"]
    copy = settings.MEDIA_ROOT / video.ingest.folder / "copy.mp4"
    written_s = copy.stat().st_mtime
    same = {"Range": "bytes=0-9", "If-Range": etag}
    dated = {"Range": "bytes=0-9", "If-Range": http_date(written_s)}
    other = {"Range": "bytes=0-9", "If-Range": '"another"'}

    statuses = [
        annotator_client.get(url, headers=item).status_code for item in (same, dated, other)
    ]

    # An answer carries no date, so a guessed one is told nothing.
    assert statuses == [206, 200, 200]


def test_video_that_the_browser_has_is_not_sent_again(annotator_client, url):
    etag = annotator_client.get(url).headers["ETag"]

    response = annotator_client.get(url, headers={"If-None-Match": etag})

    assert (response.status_code, body_of(response)) == (304, b"")


def test_video_address_of_another_rater_is_not_there(client, url):
    assert client_of(UserFactory()).get(url).status_code == 404
    assert client.get(url).status_code == 404


def test_video_of_a_rater_who_was_removed_answers_no_longer(annotator_client, annotator, url):
    campaign = annotator.assignments.get().round.campaign
    # Something was rated, so the assignment stays with the campaign.
    annotator.assignments.update(started_at=datetime.now(tz=UTC))
    before = annotator_client.get(url, headers={"Range": "bytes=0-9"}).status_code

    remove_rater(campaign=campaign, rater=annotator, actor=None)

    after = [annotator_client.get(url, headers=item) for item in ({"Range": "bytes=0-9"}, {})]
    assert (before, [answer.status_code for answer in after]) == (206, [404, 404])


def test_video_of_a_data_set_that_is_shared_no_longer_answers_no_longer(client, video):
    researcher = UserFactory(role=Role.RESEARCHER)
    video.dataset.is_shared = True
    video.dataset.save()
    address, reader = video_url(video, researcher), client_of(researcher)
    before = reader.get(address).status_code

    video.dataset.is_shared = False
    video.dataset.save()

    assert (before, reader.get(address).status_code) == (200, 404)


def test_reference_of_another_data_set_can_be_watched_by_who_sees_the_trace(video, owner):
    take = TakeFactory(dataset=video.dataset, video=video)
    made = TraceFactory(dataset=DatasetFactory(owner=owner), take=take)
    somebody = UserFactory(role=Role.RESEARCHER)

    statuses = [
        client_of(person).get(video_url(made.take.video, person)).status_code
        for person in (owner, somebody)
    ]

    assert statuses == [200, 404]


def test_video_address_is_the_same_for_an_hour_and_another_for_everybody(
    video, annotator, monkeypatch
):
    monkeypatch.setattr(time, "time", lambda: 1_800_000_000.0)
    first = video_url(video, annotator)
    again, other = video_url(video, annotator), video_url(video, UserFactory())
    monkeypatch.setattr(time, "time", lambda: 1_800_003_600.0)

    assert again == first
    assert len({first, other, video_url(video, annotator)}) == 3


def test_video_token_hides_video_and_account_in_every_spelling(video, annotator):
    annotator.pk = 12345678
    token = video_url(video, annotator).split("/")[2]
    sealed = base64.urlsafe_b64decode(token + "=" * (-len(token) % 4))

    readable = [token.encode(), sealed, sealed[::-1]]
    secrets = [video.public_id.encode(), b"12345678", (12345678).to_bytes(4, "big")]

    assert [secret in text for secret in secrets for text in readable] == [False] * 9


def test_video_token_of_an_earlier_secret_key_opens_while_it_is_a_fallback(
    annotator_client, url, settings
):
    settings.SECRET_KEY_FALLBACKS = [settings.SECRET_KEY]
    settings.SECRET_KEY = "another-secret-key-of-some-length-that-nobody-knows"

    assert read_token(url.split("/")[2]).user_id > 0
    settings.SECRET_KEY_FALLBACKS = []
    with pytest.raises(TokenError):
        read_token(url.split("/")[2])


def test_video_etag_is_of_the_content_and_one_per_person(annotator, video, settings):
    path = settings.MEDIA_ROOT / video.ingest.folder / "copy.mp4"
    second = UserFactory()
    AssignmentFactory(
        campaign=annotator.assignments.get().round.campaign,
        trace=video.trace_set.get(),
        rater=second,
    )

    def etag(person):
        return client_of(person).head(video_url(video, person)).headers["ETag"]

    def hash_now():
        video.ingest.copy["content"] = hashed_version(path)
        video.ingest.save()

    hash_now()
    first, of_another = etag(annotator), etag(second)
    path.touch()
    hash_now()
    touched = etag(annotator)
    path.write_bytes(CONTENT[::-1])
    unhashed = etag(annotator)
    hash_now()
    changed = etag(annotator)

    assert touched == first
    assert len({first, of_another, unhashed, changed}) == 4
    for tag in (first, of_another, unhashed, changed):
        assert re.fullmatch(r'"[0-9a-f]{32}"', tag)
    digest = hashlib.sha256(CONTENT).hexdigest()
    assert digest[:16] not in first


def test_video_answer_has_no_header_on_when_and_how_the_file_was_made(annotator_client, url):
    headers = annotator_client.get(url).headers

    own = {"Content-Type", "Content-Length", "Accept-Ranges", "ETag", "Cache-Control"}
    named = {name for name in headers if name not in SITE_HEADERS}
    assert named == own


def test_video_address_expires(annotator_client, url, settings, monkeypatch):
    # Addresses count in whole hours.
    later = datetime.now(tz=UTC) + timedelta(hours=settings.VIDEO_URL_HOURS + 1, seconds=2)
    monkeypatch.setattr(signing.time, "time", later.timestamp)

    assert annotator_client.get(url).status_code == 404


def test_video_address_cannot_be_forged(annotator_client, video, annotator):
    forged = signing.dumps([video.public_id, annotator.pk], key="guessed", salt="annotation.video")
    elsewhere = signing.dumps([video.public_id, annotator.pk], salt="another.use")

    for token in (forged, elsewhere, "nonsense", "a", "AAAA", "é"):
        assert annotator_client.get(reverse("video", args=[token])).status_code == 404


def test_video_outside_its_folder_is_never_sent(owner_client, owner, unprepared, tmp_path):
    video = unprepared
    video.dataset.owner = owner
    video.dataset.save()
    own = owner_client.get(video_url(video, owner))
    assert (own.status_code, body_of(own)) == (200, CONTENT)
    (tmp_path / "secret.mp4").write_bytes(b"secret")
    (tmp_path / "recordings" / "link.mp4").symlink_to(tmp_path / "secret.mp4")

    for path in ("../secret.mp4", str(tmp_path / "secret.mp4"), "link.mp4", "gone.mp4", "."):
        video.path = path
        video.save()
        assert owner_client.get(video_url(video, owner)).status_code == 404


def test_video_without_a_folder_is_not_there(owner_client, owner, unprepared):
    unprepared.dataset.owner, unprepared.dataset.video_folder = owner, ""
    unprepared.dataset.save()

    assert owner_client.get(video_url(unprepared, owner)).status_code == 404


def test_video_takes_no_post(annotator_client, url):
    assert annotator_client.post(url).status_code == 405


def test_video_address_tells_nothing_of_the_recording(video, url):
    assert video.stem not in url
    assert video.dataset.name not in url


@pytest.fixture
def ingest(video, settings):
    """Return an ingestion of the video, with a proxy and both of its pictures in place."""
    row = video.ingest
    row.copy, row.proxy = {}, {"width": 320, "height": 180, "frame_rate": 25.0}
    row.save()
    folder = settings.MEDIA_ROOT / row.folder
    for name in ("proxy.mp4", "sprite.jpg", "step-0000.jpg", "step-0001.jpg"):
        (folder / name).write_bytes(name.encode())
    return row


def test_video_sends_the_proxy_where_there_is_one(annotator_client, ingest, video, url):
    video.container = "avi"
    video.save()

    response = annotator_client.get(url, headers={"Range": "bytes=2-"})

    assert (response.status_code, body_of(response)) == (206, b"oxy.mp4")
    assert response.headers["Content-Type"] == "video/mp4"


def test_video_is_its_researchers_alone_while_nothing_is_made_of_it(
    annotator_client, ingest, video, url, owner, owner_client
):
    type(ingest).objects.update(folder="", finished_at=None)
    video.dataset.owner = owner
    video.dataset.save()

    for_rater = annotator_client.get(url)
    for_owner = owner_client.get(video_url(video, owner))

    assert (for_rater.status_code, body_of(for_rater).decode()) == (503, BEING_PREPARED)
    assert for_rater.headers["Cache-Control"] == "no-store"
    assert (for_owner.status_code, body_of(for_owner)) == (200, CONTENT)


def test_video_that_cannot_be_prepared_says_so(annotator_client, ingest, url):
    job = Job.objects.create(kind=JOB_KIND, key="one", status=JobStatus.FAILED, error="a secret")
    type(ingest).objects.update(folder="", finished_at=None, job=job)

    response = annotator_client.get(url)

    assert (response.status_code, body_of(response).decode()) == (503, NOT_PREPARED)


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


@pytest.fixture
def segmented(ingest, video, settings):
    """Return a segmentation of the video's trace, with the files of its ingestion."""
    folder = Path(settings.MEDIA_ROOT) / ingest.folder
    for name in ("sound.bin", "onsets.json", "tiles-0000.jpg"):
        (folder / name).write_bytes(name.encode())
    trace = TraceFactory(dataset=video.dataset, video=video, take__video=VideoFactory())
    return SegmentationFactory(recording__take=trace.take, recording__trace=trace)


@pytest.mark.parametrize(
    ("name", "file", "kind"),
    [
        ("sound", "sound.bin", "application/octet-stream"),
        ("onsets", "onsets.json", "application/json"),
        ("tiles-0000", "tiles-0000.jpg", "image/jpeg"),
    ],
)
def test_video_parts_reach_who_segments_the_recording(segmented, video, name, file, kind):
    person = segmented.person
    response = client_of(person).get(f"{video_url(video, person)}{name}/")

    assert (response.status_code, body_of(response)) == (200, file.encode())
    assert response.headers["Content-Type"] == kind
    assert response.headers["Cache-Control"] == "private, max-age=3600"
    assert set(response.headers) & {"Last-Modified", "Content-Disposition"} == set()


def test_video_sound_is_sent_by_windows(segmented, video):
    person = segmented.person
    address = f"{video_url(video, person)}sound/"

    response = client_of(person).get(address, headers={"Range": "bytes=2-4"})

    assert (response.status_code, body_of(response)) == (206, b"und")
    assert response.headers["Content-Range"] == "bytes 2-4/9"


def test_video_of_a_segmentation_is_that_recording_and_no_other(segmented, video):
    person, other = segmented.person, segmented.recording.take.video

    assert list(watchable_videos(person)) == [video]
    for shown in (video, other):
        for name in ("", "sound/", "onsets/", "tiles-0000/", "sprite/"):
            addresses = [video_url(shown, who) + name for who in (person, UserFactory())]
            outsider = client_of(UserFactory())
            assert [outsider.get(address).status_code for address in addresses] == [404, 404]
    assert client_of(person).get(video_url(other, person)).status_code == 404


def test_video_is_not_shown_before_the_round_of_a_segmentation_opened(segmented):
    Round.objects.filter(pk=segmented.round_id).update(opened_at=None)

    assert list(watchable_videos(segmented.person)) == []


def test_video_is_not_shown_to_who_left_the_campaign_of_a_segmentation(segmented):
    segmented.round.campaign.raters.all().delete()

    assert list(watchable_videos(segmented.person)) == []


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
