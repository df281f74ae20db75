"""The recording of a segmentation: which frames are known, and where its parts are."""

import pytest

from annotation.engine.recording_detail import RecordingDetail
from annotation.models import Segmentation, Video
from annotation.selectors.segment_media import (
    LATE_START,
    NO_DETAIL,
    NO_GRID,
    NO_RECORDING,
    NOT_INGESTED,
    recording_media,
)
from tests.factories import (
    SegmentationFactory,
    TakeFactory,
    TraceFactory,
    UserFactory,
    VideoFactory,
    VideoIngestFactory,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def segmentation() -> Segmentation:
    """Return an open segmentation of a take with a recording of ten seconds, not ingested."""
    return SegmentationFactory(recording__take=TakeFactory(video=VideoFactory()))


def given(segmentation: Segmentation) -> tuple[float | None, str, bool]:
    media = recording_media(segmentation.person, segmentation)
    return media.rate, media.rate_note, media.is_due


def test_recording_media_is_one_side_with_sound_and_stills(segmentation, django_assert_num_queries):
    VideoIngestFactory(video=segmentation.recording.take.video)

    with django_assert_num_queries(1):
        media = recording_media(segmentation.person, segmentation)

    assert media.to_dict("/video/token/") == {
        "duration_s": 10.0,
        "rate": 30.0,
        "rate_note": "",
        "url": "/video/token/",
        "pictures_url": "/video/token/",
        "player": media.shown.to_dict(),
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
    }


def test_recording_media_without_a_recording_says_so(segmentation):
    segmentation.recording.take.video = None

    media = recording_media(segmentation.person, segmentation)

    assert (media.video, media.duration_s, media.rate_note) == (None, None, NO_RECORDING)
    assert media.to_dict("")["player"] is None


def test_recording_media_of_a_trace_is_that_of_the_trace():
    trace = TraceFactory(video=VideoFactory(), take__video=VideoFactory())
    made = SegmentationFactory(recording__take=trace.take, recording__trace=trace)

    assert recording_media(made.person, made).video == trace.video


def test_recording_media_shows_somebody_else_no_recording(segmentation):
    VideoIngestFactory(video=segmentation.recording.take.video)

    assert recording_media(UserFactory(), segmentation).video is None


@pytest.mark.parametrize(
    ("ingest", "video", "expected"),
    [
        ({}, {}, (30.0, "", False)),
        ({}, {"start_s": 0.016}, (30.0, "", False)),
        ({}, {"start_s": 0.08}, (None, LATE_START.format(start_s=0.08), False)),
        ({"detail": {}}, {}, (None, NO_DETAIL, True)),
        ({"folder": "", "finished_at": None}, {}, (None, NOT_INGESTED, False)),
        ({"proxy": {"frame_rate": 25.0}}, {"start_s": 0.5}, (25.0, "", False)),
        ({"proxy": {"frame_rate": 25.0}, "detail": {}}, {}, (25.0, "", True)),
    ],
)
def test_recording_media_says_why_frames_are_not_known(segmentation, ingest, video, expected):
    Video.objects.update(**video)
    VideoIngestFactory(video=Video.objects.get(), **ingest)

    assert given(segmentation) == expected


def test_recording_media_knows_no_frames_at_an_uneven_rate(segmentation):
    row = VideoIngestFactory(video=segmentation.recording.take.video)
    row.detail["rate"] = None
    row.save()

    assert given(segmentation) == (None, NO_GRID, False)


def test_recording_media_keeps_the_rate_exact(segmentation):
    Video.objects.update(frame_rate=30000 / 1001)
    row = VideoIngestFactory(video=Video.objects.get())

    assert RecordingDetail.from_dict(row.detail).to_dict() == row.detail
    assert given(segmentation)[0] == 30000 / 1001
