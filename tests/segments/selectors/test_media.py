"""The recording of a segmentation: which frames are known, and where its parts are."""

import pytest

from annotation.engine.videos.recording_detail import RecordingDetail
from annotation.models import Video
from annotation.selectors.videos.media import shown_media
from segments.selectors.media import LATE_START, NO_VIDEO, UNEVEN, UNKNOWN_RATE, recording_media
from tests.factories import VideoFactory, VideoIngestFactory

pytestmark = pytest.mark.django_db


def given(video: Video) -> tuple[float | None, str, bool]:
    media = recording_media(video)
    return media.rate, media.rate_note, media.is_due


def test_recording_media_is_one_side_with_sound_and_stills(django_assert_num_queries):
    video = VideoIngestFactory().video

    with django_assert_num_queries(0):
        media = recording_media(video)

    assert (media.duration_s, media.rate, media.file_rate, media.rate_note) == (10.0, 30, 30, "")
    assert media.to_dict("/video/token/") == {
        **shown_media(video).to_dict(),
        "url": "/video/token/",
        "pictures_url": "/video/token/",
        "sound": {
            "per_second": 100,
            "length": 1000,
            "onset_count": 2,
            "url": "/video/token/sound/",
            "onsets_url": "/video/token/onsets/",
        },
        "stills": {
            "tile_s": 1.0,
            "sheet_tiles": 100,
            "columns": 10,
            "tile_width": 96,
            "tile_height": 54,
            "tile_count": 10,
            "urls": ["/video/token/tiles-0000/"],
        },
        "is_rate_variable": False,
        "frame_gaps": None,
    }


def test_recording_media_without_a_recording_says_so():
    media = recording_media(None)

    assert (media.duration_s, media.rate, media.rate_note) == (None, None, NO_VIDEO)
    assert media.to_dict("") is None


def test_recording_media_without_ingest_can_be_watched():
    media = recording_media(VideoFactory())

    shown = media.to_dict("/video/token/")
    assert (shown["url"], shown["sound"], shown["stills"]) == ("/video/token/", None, None)
    assert (shown["frame_rate"], media.rate, media.rate_note) == (30.0, None, UNKNOWN_RATE)


@pytest.mark.parametrize(
    ("ingest", "start_s", "expected"),
    [
        ({}, 0.0, (30.0, "", False)),
        ({}, 0.016, (30.0, "", False)),
        ({}, 0.08, (None, LATE_START, False)),
        ({"detail": {}}, 0.0, (None, UNKNOWN_RATE, True)),
        ({"folder": "", "finished_at": None}, 0.0, (None, UNKNOWN_RATE, False)),
        ({"proxy": {"name": "proxy.mp4", "frame_rate": 25.0}}, 0.5, (25.0, "", False)),
        ({"proxy": {"frame_rate": 25.0}}, 0.5, (25.0, "", True)),
        ({"proxy": {"frame_rate": 25.0}, "detail": {}}, 0.0, (25.0, "", True)),
    ],
)
def test_recording_media_says_why_frames_are_not_known(ingest, start_s, expected):
    video = VideoIngestFactory(video=VideoFactory(start_s=start_s), **ingest).video

    assert given(video) == expected


def test_recording_media_knows_no_frames_at_an_uneven_rate():
    row = VideoIngestFactory()
    row.detail["rate"] = None

    assert given(row.video) == (None, UNEVEN, False)


def test_recording_media_counts_the_frames_of_a_proxy_and_not_those_of_a_file_that_varies():
    video = VideoFactory(is_rate_variable=True)
    media = recording_media(VideoIngestFactory(video=video, proxy={"frame_rate": 25.0}).video)

    assert (media.rate, media.file_rate) == (25.0, None)


def test_recording_media_keeps_the_rate_exact():
    row = VideoIngestFactory(video=VideoFactory(frame_rate=30000 / 1001))

    assert RecordingDetail.from_dict(row.detail).to_dict() == row.detail
    assert given(row.video)[0] == 30000 / 1001
