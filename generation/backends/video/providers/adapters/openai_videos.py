"""Self-hosted servers with OpenAI's video requests: vLLM-Omni, SGLang, LiteLLM.

OpenAI's own service of this kind, Sora, was shut down. Requests are forms instead of JSON, and the
file is at a fixed path. Lengths, sizes and whether a last frame is accepted are settings, because
only those who run the server know them; a last frame is sent as vLLM-Omni expects it (with MiniMax
H3): both pictures in one list.
"""

import json
from dataclasses import replace
from typing import Self
from urllib.parse import urlsplit

from generation.backends.server_text import data_url
from generation.backends.video.providers.adapter import Adapter, Places
from generation.backends.video.providers.answers import job_id_at
from generation.backends.video.providers.exceptions import SettingsError
from generation.backends.video.providers.provider import (
    Document,
    ErrorWords,
    Offer,
    Order,
    Polling,
    ProviderLimits,
    ProviderRequest,
    Size,
    StatusWords,
)
from generation.engine.splicing.limits import ClipLimits

PATH = "/videos"
# The lengths and sizes of a server whose settings do not say others: those of OpenAI's service.
LENGTHS_S, SIZES = (4, 8, 12), ("1280x720", "720x1280")
CLOSED_HOST = "api.openai.com"


def size_of(word: str) -> Size:
    width, height = map(int, word.split("x"))
    return Size(word, width, height)


LIMITS = ProviderLimits(
    clips=ClipLimits.of(LENGTHS_S),
    sizes=tuple(map(size_of, SIZES)),
    status=StatusWords(
        waiting=frozenset({"queued", "in_progress"}),
        done=frozenset({"completed"}),
        failed=frozenset({"failed"}),
    ),
    errors=ErrorWords(
        codes=(("error", "code"), ("error", "type")),
        messages=(("error", "message"), ("detail",)),
        refused_codes=("moderation", "content_policy"),
        spent_codes=("insufficient_quota", "billing_hard_limit", "budget_exceeded"),
        # vLLM-Omni's words for a file that is announced but not ready.
        early_codes=("video_not_ready", "still in-progress"),
    ),
    polling=Polling(first_pause_s=5.0, growth=1.25, longest_pause_s=20.0),
    takes_last=False,
)


class OpenAiVideos(Adapter):
    """The adapter."""

    def fitted(self, model: str, base_url: str, offer: Offer) -> Self:
        if urlsplit(base_url).hostname == CLOSED_HOST:
            raise SettingsError(
                "OpenAI shut down its video models on 24 September 2026; name a server"
                " of your own, or use OpenRouter"
            )
        limits = replace(
            self.limits,
            clips=ClipLimits.of(offer.lengths_s or LENGTHS_S),
            sizes=tuple(map(size_of, offer.sizes or SIZES)),
            takes_last=offer.takes_last,
        )
        return replace(self, limits=limits)

    def submission(self, order: Order, model: str) -> ProviderRequest:
        form: dict[str, str | tuple[str, bytes, str]] = {
            "model": model,
            "prompt": order.prompt,
            "seconds": str(order.duration_s),
            "size": order.size.word,
        }
        if order.first is not None and order.last is not None:
            pictures = [{"image_url": data_url(jpeg)} for jpeg in (order.first, order.last)]
            form["image_reference"] = json.dumps(pictures)
        elif order.first is not None:
            form["input_reference"] = ("first.jpg", order.first, "image/jpeg")
        return ProviderRequest("POST", PATH, form=form)

    def video(self, answer: Document) -> str:
        return f"{PATH}/{job_id_at(answer, 'id')}/content"


PROVIDER = OpenAiVideos(
    name="openai_videos",
    title="Your own server",
    default_model="",
    limits=LIMITS,
    places=Places(codes=(("error", "code"),), reasons=(("error", "message"),)),
    job_path=PATH,
    free_path=f"{PATH}?limit=1",
    needs_key=False,
)
