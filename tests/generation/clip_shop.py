"""A provider that plays, an endpoint that knows it, and clips to order: for tests of clip calls."""

from generation.backends.retrying import RetryPolicy
from generation.backends.video.clips.backend import ClipRequest, anchors_at
from generation.engine.progress import UNWATCHED
from generation.services.calls.payer import Payer
from generation.services.clips.provider_clips import ProviderClips
from generation.services.run_payer import payer_of
from tests.generation.video_endpoints import make_video_endpoint

QUICK = RetryPolicy(max_attempts=3, first_pause_s=0.01, max_pause_s=5.0)


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
            settings = {"is_shared": True, **changes.pop("settings", {})}
            endpoint = make_video_endpoint(self.server.url, self.server.provider, **settings)
        run_take, check = changes.pop("run_take", None), changes.pop("check", UNWATCHED.check)
        payer = Payer(check=check)
        if run_take is not None:
            payer = payer_of(run_take, changes.pop("budget", None), check)
        fields = {"policy": QUICK, "clock": self.clock, "sleep": self.clock.sleep, **changes}
        return ProviderClips(endpoint, payer, adapter=endpoint.adapter(), **fields)

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
