"""Kling: one key for all models, or the older key pair; frames are sent as a list of pictures.

A key pair signs a token for half an hour and opens models up to 3.0. Every answer carries a code;
what each means, the lengths and the roles of the frames are as published by the provider, which
has no package of its own to check them against.
"""

import hashlib
import hmac
import json
from base64 import urlsafe_b64encode
from dataclasses import replace
from typing import Self

from generation.backends.server_text import base64_text
from generation.backends.video.providers.adapter import Adapter, Places
from generation.backends.video.providers.provider import (
    ErrorWords,
    Offer,
    Order,
    Polling,
    ProviderLimits,
    ProviderRequest,
    Size,
    StatusWords,
    VideoSettings,
)
from generation.engine.splicing.limits import ClipLimits

PATH = "/v1/videos/omni-video"
TOKEN_LIFE_S = 1800
# Clocks differ: the token is valid from a little before now.
CLOCK_SLACK_S = 5
THREE_TO_FIFTEEN = ClipLimits.of(range(3, 16))
# The lengths of models that differ from the newest ones, for clips from a first frame.
LENGTHS = {"kling-video-o1": ClipLimits.of((5, 10))}
LIMITS = ProviderLimits(
    clips=THREE_TO_FIFTEEN,
    sizes=(Size("16:9", 1920, 1080), Size("9:16", 1080, 1920), Size("1:1", 1440, 1440)),
    status=StatusWords(
        waiting=frozenset({"submitted", "processing"}),
        done=frozenset({"succeed"}),
        failed=frozenset({"failed"}),
    ),
    errors=ErrorWords(
        codes=(("code",),),
        messages=(("message",),),
        good_code="0",
        refused_codes=("1301",),
        refused_phrases=("risk control",),
        spent_codes=("1101", "1102"),
        limited_codes=("1302",),
        # Too many jobs at once, until one of them ends.
        full_codes=("1303",),
        fault_codes=("5000", "5001", "5002"),
    ),
    polling=Polling(first_pause_s=5.0, growth=1.0, longest_pause_s=5.0),
    follows_first=True,
    most_prompt_characters=2500,
    least_side_px=300,
)


class Kling(Adapter):
    """The adapter."""

    def fitted(self, model: str, base_url: str, offer: Offer) -> Self:
        limits = replace(self.limits, clips=LENGTHS.get(model, THREE_TO_FIFTEEN))
        return replace(self, limits=limits)

    def headers(self, settings: VideoSettings, now_s: float) -> dict[str, str]:
        if not settings.secret_key:
            return super().headers(settings, now_s)
        token = signed_token(settings.api_key, settings.secret_key, int(now_s))
        return {"Authorization": f"Bearer {token}"}

    def submission(self, order: Order, model: str) -> ProviderRequest:
        frames = (("first_frame", order.first), ("end_frame", order.last))
        document = {
            "model_name": model,
            "prompt": order.prompt,
            "mode": "pro",
            "duration": str(order.duration_s),
            "sound": "off",
            # Only base64, since this provider accepts no data URLs.
            "image_list": [
                {"image_url": base64_text(jpeg), "type": role} for role, jpeg in frames if jpeg
            ],
        }
        if order.first is None:
            document["aspect_ratio"] = order.size.word
        return ProviderRequest("POST", PATH, document)


def signed_token(access_key: str, secret_key: str, now_s: int) -> str:
    """A JSON web token (RFC 7519) signed with HMAC-SHA256, valid for `TOKEN_LIFE_S`."""
    claims = {"iss": access_key, "exp": now_s + TOKEN_LIFE_S, "nbf": now_s - CLOCK_SLACK_S}
    parts = ({"alg": "HS256", "typ": "JWT"}, claims)
    signed = ".".join(_encoded(json.dumps(part, separators=(",", ":")).encode()) for part in parts)
    digest = hmac.new(secret_key.encode(), signed.encode(), hashlib.sha256).digest()
    return f"{signed}.{_encoded(digest)}"


def _encoded(content: bytes) -> str:
    return urlsafe_b64encode(content).rstrip(b"=").decode()


PROVIDER = Kling(
    name="kling",
    title="Kling",
    default_model="kling-v3-omni",
    limits=LIMITS,
    places=Places(
        job_id=("data", "task_id"),
        status=("data", "task_status"),
        video=("data", "task_result", "videos", 0, "url"),
        reasons=(("data", "task_status_msg"),),
    ),
    job_path=PATH,
    free_path=f"{PATH}?pageNum=1&pageSize=1",
    takes_key_pair=True,
)
