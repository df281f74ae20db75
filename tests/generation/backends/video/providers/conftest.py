from contextlib import closing
from dataclasses import dataclass, field, replace

import pytest

from annotation.backends.media.facts import read_media
from annotation.backends.publishing import draft_of
from generation.backends.exceptions import CancelledError
from generation.backends.video.clips.backend import ClipRequest, anchors_at
from generation.backends.video.providers.job import Job, JobWatch
from generation.backends.video.providers.offers import read_lengths, read_sizes
from generation.backends.video.providers.ordering import conformed, order_of
from generation.backends.video.providers.provider import Offer, VideoSettings
from generation.backends.video.providers.registry import provider
from generation.backends.video.providers.transport import Transport
from tests.fakes.video_provider_server import API_KEY, FORMS, SECRET_KEY, VideoProviderServer
from tests.recordings import CLIP, write_recording


@dataclass
class Clock:
    """Time that passes only where somebody sleeps."""

    now_s: float = 0.0
    slept: list = field(default_factory=list)

    def __call__(self):
        return self.now_s

    def sleep(self, seconds):
        self.slept.append(seconds)
        self.now_s += seconds


def fitted(name, **changes):
    """Return an adapter with the limits of the model that the tests order from."""
    form = FORMS[name]
    offer = Offer(
        read_lengths(form.endpoint.get("lengths", "")),
        read_sizes(form.endpoint.get("sizes", "")),
        form.endpoint.get("takes_last_frame", False),
        form.endpoint.get("card", {}),
    )
    return provider(name).fitted(changes.get("model", form.model), "https://there.example", offer)


@dataclass
class Unrecorded:
    """Order, job and file in one go: what `services.clip_calls` does with rows around it."""

    settings: VideoSettings
    watch: JobWatch
    adapter: object
    noted: list

    def make_clip(self, request, out, job_id=""):
        order = order_of(request, self.adapter.limits)
        with closing(Transport(self.adapter, self.settings)) as transport, draft_of(out) as draft:
            job = Job(transport, self.watch)
            if not job_id:
                job_id = job.submit(order).job_id
                self.noted.append(job_id)
            job.fetch(job.wait_until_done(job_id), draft)
            return conformed(draft, request, out)


@dataclass
class Stage:
    """A server that plays a provider, and all that is needed to order a clip from it."""

    server: VideoProviderServer
    clock: Clock
    recording: object
    noted: list = field(default_factory=list)
    is_cancelled: object = staticmethod(lambda: False)

    def backend(self, **changes):
        settings = VideoSettings(
            **{
                "base_url": self.server.url,
                "model": self.server.forms.model,
                "api_key": API_KEY,
                "secret_key": SECRET_KEY,
                "answer_timeout_s": 60.0,
                **changes,
            }
        )
        watch = JobWatch(self.check, self.clock, self.clock.sleep)
        return Unrecorded(settings, watch, fitted(self.server.provider), self.noted)

    def check(self):
        if self.is_cancelled():
            raise CancelledError("the clip is no longer wanted")

    def request(self, **changes):
        return ClipRequest(
            **{
                "prompt": "A hand drops a cup.",
                "style_lock": "Same camera.",
                "duration_s": 1.0,
                "recording": self.recording,
                "anchors": anchors_at(self.recording, 30, 60),
                **changes,
            }
        )


@pytest.fixture(scope="session")
def recording(tmp_path_factory):
    folder = tmp_path_factory.mktemp("providers")
    return read_media(write_recording(folder / "recording.mp4"))


@pytest.fixture(scope="session")
def clip_bytes(tmp_path_factory):
    """Return a file of 2 s as a provider makes one: another size and rate, no sound."""
    recipe = replace(CLIP, frame_count=48)
    return write_recording(tmp_path_factory.mktemp("made") / "clip.mp4", recipe).read_bytes()


@pytest.fixture
def stage_of(recording, clip_bytes):
    """Return a function that sets up one provider."""
    servers = []

    def start(name):
        server = VideoProviderServer(name, clip_bytes).__enter__()
        servers.append(server)
        return Stage(server, Clock(), recording)

    yield start
    for server in servers:
        server.__exit__()


@pytest.fixture(params=list(FORMS))
def stage(request, stage_of):
    """Set up every provider in turn."""
    return stage_of(request.param)


@pytest.fixture
def seedance(stage_of):
    return stage_of("seedance")
