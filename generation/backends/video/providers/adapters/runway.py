"""Runway: its own models and many of others, each with its own lengths, sizes and fields.

A first frame is required, and the version of the interface goes into a header. Models and their
fields are those of the provider's package; lengths that it leaves open are those that another
reseller of the same model lists.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any, Self

from generation.backends.server_text import data_url
from generation.backends.video.providers.adapter import CREDITS, Adapter, Places
from generation.backends.video.providers.exceptions import SettingsError
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

INTERFACE_VERSION = "2024-11-06"


@dataclass(frozen=True, slots=True)
class Model:
    """One model: its lengths in seconds, and the fields that choose the picture.

    `ratios` are sizes to choose from; a model without any takes the shape of its first frame.
    `fixed` is sent unchanged with every order.
    """

    lengths_s: Iterable[int]
    ratios: tuple[str, ...] = ()
    takes_last: bool = True
    fixed: tuple[tuple[str, str | bool], ...] = ()
    least_side_px: int = 1
    most_prompt_characters: int = 1000


_GEN_4 = ("1280:720", "720:1280", "1104:832", "832:1104", "960:960", "1584:672")
_VEO = ("1280:720", "720:1280")
_KLING_PRO = ("1920:1080", "1080:1920", "1440:1440")
_KLING_STANDARD = ("1280:720", "720:1280", "960:960")
_SEEDANCE = ("1280:720", "720:1280", "1112:834", "834:1112", "960:960", "1470:630")
_SILENT = (("audio", False),)
_THREE_TO_FIFTEEN, _FOUR_TO_FIFTEEN, _FIVE_TO_FIFTEEN = range(3, 16), range(4, 16), range(5, 16)
_AS_FRAME_720P = (("ratio", "auto_720p"),)
_KLING_PRO_MODEL = Model(_THREE_TO_FIFTEEN, _KLING_PRO, fixed=_SILENT)
_KLING_STANDARD_MODEL = Model(_THREE_TO_FIFTEEN, _KLING_STANDARD, fixed=_SILENT)
_SEEDANCE_2 = Model(_FOUR_TO_FIFTEEN, _SEEDANCE, fixed=_SILENT, most_prompt_characters=3500)
_WAN = Model(range(2, 31), fixed=(*_AS_FRAME_720P, *_SILENT))
MODELS = {
    "gen4.5": Model(range(2, 11), _GEN_4, takes_last=False),
    "gen4_turbo": Model((5, 10), _GEN_4, takes_last=False),
    "veo3.1": Model((4, 6, 8), _VEO, fixed=_SILENT),
    "veo3.1_fast": Model((4, 6, 8), _VEO, fixed=_SILENT),
    "kling2.5_turbo_pro": Model((5, 10)),
    "kling3.0_pro": _KLING_PRO_MODEL,
    "kling3.0_standard": _KLING_STANDARD_MODEL,
    "klingO3_pro": _KLING_PRO_MODEL,
    "klingO3_standard": _KLING_STANDARD_MODEL,
    "seedance2": _SEEDANCE_2,
    "seedance2_fast": _SEEDANCE_2,
    "seedance2_mini": _SEEDANCE_2,
    "seedance2_5": Model(range(4, 31), _SEEDANCE, fixed=_SILENT, most_prompt_characters=3500),
    "gemini_omni_flash_1.1": Model(range(3, 11), _VEO),
    "h3_max": Model(_FIVE_TO_FIFTEEN, fixed=(("resolution", "768p"),), least_side_px=256),
    "hailuo3": Model(_FIVE_TO_FIFTEEN, fixed=(("ratio", "adaptive"), ("resolution", "768p"))),
    "wan3": _WAN,
    "wan3_prime": _WAN,
}
DEFAULT = "gen4.5"


def _limits_of(model: Model) -> ProviderLimits:
    return ProviderLimits(
        clips=ClipLimits.of(model.lengths_s),
        # A model that follows its first frame still needs that frame in some size.
        sizes=tuple(Size(ratio, *map(int, ratio.split(":"))) for ratio in model.ratios or _VEO),
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
        takes_last=model.takes_last,
        follows_first=not model.ratios,
        bills_refusals=True,
        most_prompt_characters=model.most_prompt_characters,
        # 5 MB as an address, where three bytes take four characters.
        most_image_bytes=3_300_000,
        least_side_px=model.least_side_px,
    )


class Runway(Adapter):
    """The adapter."""

    def fitted(self, model: str, base_url: str, offer: Offer) -> Self:
        super().fitted(model, base_url, offer)
        if model not in MODELS:
            raise SettingsError(
                f"{model!r} is not a Runway model that PIE-V knows; expected one of"
                f" {', '.join(MODELS)}"
            )
        return replace(self, limits=_limits_of(MODELS[model]))

    def headers(self, settings: VideoSettings, now_s: float) -> dict[str, str]:
        return {**super().headers(settings, now_s), "X-Runway-Version": INTERFACE_VERSION}

    def submission(self, order: Order, model: str) -> ProviderRequest:
        frames = (("first", order.first), ("last", order.last))
        document: dict[str, Any] = {
            "model": model,
            "promptText": order.prompt,
            "promptImage": [
                {"uri": data_url(jpeg), "position": place} for place, jpeg in frames if jpeg
            ],
            "duration": order.duration_s,
            **dict(MODELS[model].fixed),
        }
        if MODELS[model].ratios:
            document["ratio"] = order.size.word
        return ProviderRequest("POST", "/v1/image_to_video", document)


PROVIDER = Runway(
    name="runway",
    title="Runway",
    default_model=DEFAULT,
    limits=_limits_of(MODELS[DEFAULT]),
    places=Places(
        video=("output", 0),
        codes=(("failureCode",),),
        reasons=(("failure",),),
        cost=("cost", "credits"),
        estimate=("estimatedCost", "credits"),
    ),
    job_path="/v1/tasks",
    free_path="/v1/organization",
    usual_base_url="https://api.dev.runwayml.com",
    # Ending a running job refunds nothing, so it goes on, and its clip can still be fetched.
    endable=frozenset({"PENDING", "THROTTLED"}),
    cost_unit=CREDITS,
    # The provider's price of a credit, the same in every plan.
    dollars_per_unit=Decimal("0.01"),
    retired={"gen3a_turbo": "use veo3.1 or another that accepts a last frame, or gen4.5"},
)
