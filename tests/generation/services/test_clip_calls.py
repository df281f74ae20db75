"""Clips of a real local server that plays a provider: ordered once, recorded, told when not."""

from dataclasses import replace
from decimal import Decimal

import pytest

from generation.backends.retrying import RetryPolicy
from generation.backends.video.clips import ClipRequest, anchors_at
from generation.backends.video.media import read_media
from generation.models import ClipCall
from generation.services.clip_calls import ProviderClips
from generation.services.clip_files import file_at
from generation.services.video_endpoints import adapter_of
from tests.fakes.video_provider_server import (
    DONE,
    FORMS,
    WAIT,
    VideoProviderServer,
)
from tests.generation.backends.video.recordings import CLIP, write_recording
from tests.generation.video_endpoints import make_video_endpoint

pytestmark = pytest.mark.django_db(transaction=True)
QUICK = RetryPolicy(max_attempts=3, first_pause_s=0.01, max_pause_s=5.0)


@pytest.fixture(scope="module")
def recording(tmp_path_factory):
    return read_media(write_recording(tmp_path_factory.mktemp("clips") / "recording.mp4"))


@pytest.fixture(scope="module")
def clip_bytes(tmp_path_factory):
    """Return a file of 2 s as a provider makes one: another rate, no sound."""
    recipe = replace(CLIP, frame_count=48)
    return write_recording(tmp_path_factory.mktemp("made") / "clip.mp4", recipe).read_bytes()


@pytest.fixture
def media(settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path / "media"
    return settings.MEDIA_ROOT


class Clock:
    """Time that passes only where somebody sleeps."""

    def __init__(self):
        self.now_s = 0.0
        self.slept = []

    def __call__(self):
        return self.now_s

    def sleep(self, seconds):
        self.slept.append(seconds)
        self.now_s += seconds


class Shop:
    """A provider that plays, an endpoint that knows it, and clips to order."""

    def __init__(self, server, recording, folder):
        self.server, self.recording, self.folder = server, recording, folder
        self.clock = Clock()

    def clips(self, **changes):
        endpoint = changes.pop("endpoint", None)
        if endpoint is None:
            endpoint = make_video_endpoint(
                self.server.url, self.server.provider, **changes.pop("settings", {})
            )
        fields = {"policy": QUICK, "clock": self.clock, "sleep": self.clock.sleep, **changes}
        return ProviderClips(endpoint, adapter_of(endpoint), **fields)

    def request(self, **changes):
        fields = {
            "prompt": "A hand drops a cup.",
            "style_lock": "Same camera.",
            "duration_s": 1.0,
            "recording": self.recording,
            "anchors": anchors_at(self.recording, 30, 60),
        }
        return ClipRequest(**{**fields, **changes})

    def make(self, clips, name="clip", **changes):
        return clips.make_clip(self.request(**changes), self.folder / f"{name}.mp4")


@pytest.fixture
def shop_of(recording, clip_bytes, media, tmp_path):
    servers = []

    def start(provider):
        server = VideoProviderServer(provider, clip_bytes).__enter__()
        servers.append(server)
        return Shop(server, recording, tmp_path)

    yield start
    for server in servers:
        server.__exit__()


@pytest.fixture
def shop(shop_of):
    return shop_of("seedance")


@pytest.mark.parametrize("provider", FORMS)
def test_clip_of_every_provider_is_ordered_once_and_then_read(shop_of, provider, media):
    shop = shop_of(provider)
    shop.server.polls = [WAIT, DONE]
    clips = shop.clips()

    first, second = shop.make(clips, "a"), shop.make(clips, "b", duration_s=1.2)

    call = ClipCall.objects.get()
    assert (first.frame_count, second.frame_count) == (30, 36)
    assert len(shop.server.submitted) == 1
    assert (call.status, call.error, call.job_id) == ("made", "", shop.server.job_id)
    assert file_at(call.path).read_bytes() == shop.server.clip
    assert call.byte_count == len(shop.server.clip)
    assert [row.outcome for row in call.attempts.all()] == ["made"]
    assert call.attempts.get().price == Decimal("0.1") * call.duration_s
