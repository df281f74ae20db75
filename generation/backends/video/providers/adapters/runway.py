"""Runway: a picture to start from is a must, the version of the interface goes into a header.

Of its models Gen-4 Turbo takes the first frame only; the published form has a place for a last one,
which `gen3a_turbo` takes.
"""

from generation.backends.video.providers.adapter import Adapter, Places
from generation.backends.video.providers.answers import data_url
from generation.backends.video.providers.provider import (
    Call,
    ErrorWords,
    Order,
    Polling,
    ProviderLimits,
    Size,
    StatusWords,
    VideoSettings,
)
from generation.engine.splicing.limits import ClipLimits

INTERFACE_VERSION = "2024-11-06"
LIMITS = ProviderLimits(
    clips=ClipLimits(min_s=5.0, max_s=10.0, offered_s=(5.0, 10.0)),
    sizes=tuple(
        Size(f"{width}:{height}", width, height)
        for width, height in (
            (1280, 720),
            (720, 1280),
            (1104, 832),
            (832, 1104),
            (960, 960),
            (1584, 672),
        )
    ),
    status=StatusWords(
        waiting=frozenset({"PENDING", "THROTTLED", "RUNNING"}),
        done=frozenset({"SUCCEEDED"}),
        failed=frozenset({"FAILED"}),
        cancelled=frozenset({"CANCELLED"}),
    ),
    errors=ErrorWords(
        messages=(("error",),),
        refused_codes=("SAFETY",),
        refused_phrases=("content moderation",),
        spent_phrases=("enough credits",),
    ),
    # The provider asks for 5 s between polls at least.
    polling=Polling(first_pause_s=5.0, growth=1.25, longest_pause_s=15.0),
    needs_first=True,
    takes_last=False,
    most_prompt_characters=1000,
    # 5 MB as an address, where three bytes take four characters.
    most_image_bytes=3_300_000,
)


class Runway(Adapter):
    """The adapter."""

    def headers(self, settings: VideoSettings, now_s: float) -> dict[str, str]:
        return {
            "Authorization": f"Bearer {settings.api_key}",
            "X-Runway-Version": INTERFACE_VERSION,
        }

    def submission(self, order: Order, model: str) -> Call:
        frames = (("first", order.first), ("last", order.last))
        document = {
            "model": model,
            "promptText": order.prompt,
            "promptImage": [
                {"uri": data_url(jpeg), "position": place} for place, jpeg in frames if jpeg
            ],
            "ratio": order.size.word,
            "duration": order.duration_s,
        }
        return Call("POST", "/v1/image_to_video", document)


PROVIDER = Runway(
    name="runway",
    default_model="gen4_turbo",
    limits=LIMITS,
    places=Places(video=("output", 0), codes=(("failureCode",),), reasons=(("failure",),)),
    job_path="/v1/tasks",
    free_path="/v1/organization",
    can_cancel=True,
)
