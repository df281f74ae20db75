"""Seedance on BytePlus ModelArk or Volcano Ark: text and frames in one list, each with its role.

Lengths differ by generation of models. The cost of a job is reported in tokens, whose price differs
by model. Frames with a recognisable face are refused.
"""

from dataclasses import replace
from typing import Any, Self

from generation.backends.server_text import data_url
from generation.backends.video.providers.adapter import TOKENS, Adapter, Places
from generation.backends.video.providers.provider import (
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

PATH = "/contents/generations/tasks"
RESOLUTION = "720p"
FOUR_TO_FIFTEEN = ClipLimits.of(range(4, 16))
# By a part of the model's name; a name without any of these, as `ep-...`, is taken for a 2.0.
LENGTHS = {
    "seedance-1-0": ClipLimits.of(range(2, 13)),
    "seedance-1-5": ClipLimits.of(range(4, 13)),
    "seedance-2-0": FOUR_TO_FIFTEEN,
    "seedance-2-5": ClipLimits.of(range(4, 31)),
}
SEEDANCE_2, SEEDANCE_2_CHINA = "dreamina-seedance-2-0-260128", "doubao-seedance-2-0-260128"
RETIRED = {
    "seedance-1-5-pro-251215": f"use {SEEDANCE_2}, which makes 4 to 15 s",
    "doubao-seedance-1-5-pro-251215": f"use {SEEDANCE_2_CHINA}, which makes 4 to 15 s",
}
LIMITS = ProviderLimits(
    clips=FOUR_TO_FIFTEEN,
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
        # SensitiveContent is also the code for a frame that shows a person (PrivacyInformation).
        refused_codes=("SensitiveContent", "PolicyViolation"),
        spent_codes=("AccountOverdue", "QuotaExceeded", "SetLimitExceeded"),
    ),
    polling=Polling(),
    follows_first=True,
    least_side_px=300,
)


class Seedance(Adapter):
    """The adapter."""

    def fitted(self, model: str, base_url: str, offer: Offer) -> Self:
        super().fitted(model, base_url, offer)
        fitting = (limits for words, limits in LENGTHS.items() if words in model)
        return replace(self, limits=replace(self.limits, clips=next(fitting, FOUR_TO_FIFTEEN)))

    def submission(self, order: Order, model: str) -> ProviderRequest:
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
            "generate_audio": False,
            "watermark": False,
        }
        return ProviderRequest("POST", PATH, document)


PROVIDER = Seedance(
    name="seedance",
    title="Seedance",
    default_model=SEEDANCE_2,
    limits=LIMITS,
    places=Places(
        video=("content", "video_url"),
        codes=(("error", "code"),),
        reasons=(("error", "message"),),
        cost=("usage", "completion_tokens"),
    ),
    job_path=PATH,
    free_path=f"{PATH}?page_num=1&page_size=1",
    usual_base_url="https://ark.ap-southeast.bytepluses.com/api/v3",
    # A running job cannot be ended, and ending a finished one deletes it.
    endable=frozenset({"queued"}),
    cost_unit=TOKENS,
    retired=RETIRED,
)
