"""What tests of ordered clips share."""

from dataclasses import replace

import pytest

from annotation.backends.media.facts import read_media
from tests.fakes.video_provider_server import VideoProviderServer
from tests.generation.clip_shop import Shop
from tests.recordings import CLIP, write_recording


@pytest.fixture(scope="module")
def recording(tmp_path_factory):
    return read_media(write_recording(tmp_path_factory.mktemp("clips") / "recording.mp4"))


@pytest.fixture(scope="module")
def clip_bytes(tmp_path_factory):
    """Return a file of 2 s as a provider makes one: another rate, no sound."""
    recipe = replace(CLIP, frame_count=48)
    return write_recording(tmp_path_factory.mktemp("made") / "clip.mp4", recipe).read_bytes()


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
