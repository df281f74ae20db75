"""Seedance: text and frames in one content list, each frame with its role.

Model, content, lengths and polling as in PIE-V's own Seedance scripts (720p, adaptive shape, camera
not fixed: the head that carries it moves).
"""

from typing import Any

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
)
from generation.engine.splicing.limits import ClipLimits

PATH = "/contents/generations/tasks"
RESOLUTION = "720p"
OFFERED_S = tuple(float(length_s) for length_s in range(2, 13))
LIMITS = ProviderLimits(
    clips=ClipLimits(min_s=2.0, max_s=12.0, offered_s=OFFERED_S),
    sizes=(
        Size("16:9", 1280, 720),
        Size("9:16", 720, 1280),
        Size("4:3", 1112, 834),
        Size("3:4", 834, 1112),
        Size("1:1", 960, 960),
        Size("21:9", 1470, 630),
    ),
    status=StatusWords(
        waiting=frozenset({"queued", "running"}),
        done=frozenset({"succeeded"}),
        failed=frozenset({"failed", "expired"}),
        cancelled=frozenset({"cancelled"}),
    ),
    errors=ErrorWords(
        codes=(("error", "code"),),
        messages=(("error", "message"),),
        refused_codes=("SensitiveContent", "PolicyViolation"),
        spent_codes=("AccountOverdue", "QuotaExceeded", "SetLimitExceeded"),
    ),
    polling=Polling(),
    follows_first=True,
    least_side_px=300,
)


class Seedance(Adapter):
    """The adapter."""

    def submission(self, order: Order, model: str) -> Call:
        content: list[dict[str, Any]] = [{"type": "text", "text": order.prompt}]
        for role, jpeg in (("first_frame", order.first), ("last_frame", order.last)):
            if jpeg:
                picture = {"url": data_url(jpeg)}
                content.append({"type": "image_url", "image_url": picture, "role": role})
        document = {
            "model": model,
            "content": content,
            "resolution": RESOLUTION,
            "ratio": "adaptive" if order.first else order.size.word,
            "duration": order.duration_s,
            "camera_fixed": False,
            "generate_audio": False,
            "watermark": False,
        }
        return Call("POST", PATH, document)


PROVIDER = Seedance(
    name="seedance",
    default_model="seedance-1-5-pro-251215",
    limits=LIMITS,
    places=Places(
        video=("content", "video_url"),
        codes=(("error", "code"),),
        reasons=(("error", "message"),),
    ),
    job_path=PATH,
    free_path=f"{PATH}?page_num=1&page_size=1",
    can_cancel=True,
)
