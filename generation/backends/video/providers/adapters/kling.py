"""Kling: a key pair signs a token for half an hour; frames are given as a list of pictures.

Model, token, lengths and roles of the frames as in PIE-V's own Kling script; status words and error
codes as published by the provider. Lengths between 5 and 10 s may need a newer model than the
account has.
"""

import hashlib
import hmac
import json
from base64 import urlsafe_b64encode

from generation.backends.video.providers.adapter import Adapter, Places
from generation.backends.video.providers.answers import base64_text, value_at
from generation.backends.video.providers.exceptions import MalformedAnswerError
from generation.backends.video.providers.provider import (
    Call,
    Document,
    ErrorWords,
    JobReport,
    Order,
    Polling,
    ProviderLimits,
    Size,
    StatusWords,
    VideoSettings,
)
from generation.engine.splicing.limits import ClipLimits

PATH = "/v1/videos/omni-video"
TOKEN_LIFE_S = 1800
# Clocks differ: the token is valid from a little before now.
CLOCK_SLACK_S = 5
OFFERED_S = tuple(float(length_s) for length_s in range(3, 11))
LIMITS = ProviderLimits(
    clips=ClipLimits(min_s=3.0, max_s=10.0, offered_s=OFFERED_S),
    sizes=(Size("16:9", 1920, 1080), Size("9:16", 1080, 1920), Size("1:1", 1440, 1440)),
    status=StatusWords(
        waiting=frozenset({"submitted", "processing"}),
        done=frozenset({"succeed"}),
        failed=frozenset({"failed"}),
    ),
    errors=ErrorWords(
        codes=(("code",),),
        messages=(("message",),),
        refused_codes=("1301",),
        refused_phrases=("risk control",),
        spent_codes=("1101", "1102"),
    ),
    polling=Polling(first_pause_s=5.0, growth=1.0, longest_pause_s=5.0),
    follows_first=True,
    most_prompt_characters=2500,
    least_side_px=300,
)


class Kling(Adapter):
    """The adapter."""

    def headers(self, settings: VideoSettings, now_s: float) -> dict[str, str]:
        token = signed_token(settings.api_key, settings.secret_key, int(now_s))
        return {"Authorization": f"Bearer {token}"}

    def submission(self, order: Order, model: str) -> Call:
        frames = (("first_frame", order.first), ("end_frame", order.last))
        document = {
            "model_name": model,
            "prompt": order.prompt,
            "mode": "pro",
            "duration": str(order.duration_s),
            # The bytes alone: this provider takes no data addresses.
            "image_list": [
                {"image_url": base64_text(jpeg), "type": role} for role, jpeg in frames if jpeg
            ],
        }
        if order.first is None:
            document["aspect_ratio"] = order.size.word
        return Call("POST", PATH, document)

    def job_id(self, answer: Document) -> str:
        _check_code(answer)
        return super().job_id(answer)

    def report(self, answer: Document) -> JobReport:
        _check_code(answer)
        return super().report(answer)


def signed_token(access_key: str, secret_key: str, now_s: int) -> str:
    """Return a JSON web token (RFC 7519) signed with HMAC-SHA256, valid for `TOKEN_LIFE_S`."""
    claims = {"iss": access_key, "exp": now_s + TOKEN_LIFE_S, "nbf": now_s - CLOCK_SLACK_S}
    parts = ({"alg": "HS256", "typ": "JWT"}, claims)
    signed = ".".join(_encoded(json.dumps(part, separators=(",", ":")).encode()) for part in parts)
    digest = hmac.new(secret_key.encode(), signed.encode(), hashlib.sha256).digest()
    return f"{signed}.{_encoded(digest)}"


def _encoded(content: bytes) -> str:
    return urlsafe_b64encode(content).rstrip(b"=").decode()


def _check_code(answer: Document) -> None:
    if value_at(answer, "code") != 0:
        raise MalformedAnswerError(f"code is {value_at(answer, 'code')!r} in an answer; expected 0")


PROVIDER = Kling(
    name="kling",
    default_model="kling-video-o1",
    limits=LIMITS,
    places=Places(
        job_id=("data", "task_id"),
        status=("data", "task_status"),
        video=("data", "task_result", "videos", 0, "url"),
        reasons=(("data", "task_status_msg"),),
    ),
    job_path=PATH,
    free_path=f"{PATH}?pageNum=1&pageSize=1",
    needs_secret_key=True,
)
