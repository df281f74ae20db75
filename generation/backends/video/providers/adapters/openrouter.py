"""OpenRouter: one address and one key for the video models of many makers.

What each model makes and costs is read from the service (`card`), so there is no list of models
here. A clip is ordered with a resolution and an aspect ratio. A job cannot be cancelled.
"""

import re
from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from typing import Any, Self

from generation.backends.server_text import data_url
from generation.backends.video.providers.adapter import Adapter, Places
from generation.backends.video.providers.answers import amount_at, job_id_at, value_at
from generation.backends.video.providers.exceptions import MalformedAnswerError, SettingsError
from generation.backends.video.providers.provider import (
    Document,
    ErrorWords,
    Offer,
    Order,
    Polling,
    Prices,
    ProviderLimits,
    ProviderRequest,
    Size,
    StatusWords,
)
from generation.engine.splicing.limits import ClipLimits

PATH = "/videos"
# The parts of a model's card that are stored, under the service's own names.
LISTS = (
    "supported_durations",
    "supported_resolutions",
    "supported_aspect_ratios",
    "supported_frame_images",
)
KEPT = ("id", "name", *LISTS, "generate_audio", "pricing_skus")
# The shorter side to order if the model lets us choose.
WANTED_SIDE_PX = 720
SIDES_PX = {"1K": 1024, "2K": 1440, "4K": 2160}
# Tokens of a video are counted for this many pictures a second, one token per 1,024 pixels.
TOKEN_RATE, TOKEN_PX = 24, 1024
USUAL_RATIO = "16:9"
CENT = Decimal("0.01")
# Names of the price of a second by the unit of the price, the best fitting first; {} is the
# resolution.
PRICE_NAMES = {
    "dollars": (
        "image_to_video_duration_seconds_{}",
        "duration_seconds_without_audio_{}",
        "duration_seconds_without_audio",
        "duration_seconds_{}",
        "duration_seconds",
        "per-video-second-{}",
        "per-video-second",
        "duration_seconds_with_audio_{}",
        "duration_seconds_with_audio",
    ),
    "cents": (
        "cents_per_video_output_second_{}",
        "cents_per_second_output_{}",
        "cents_per_second_output",
    ),
    "tokens": ("video_tokens_{}", "video_tokens_without_audio", "video_tokens"),
}
_RATIO = re.compile(r"0*[1-9][0-9]*:0*[1-9][0-9]*")
LONGEST_S = 60
LIMITS = ProviderLimits(
    clips=ClipLimits.of((5,)),
    sizes=(Size(USUAL_RATIO, 1280, 720),),
    status=StatusWords(
        waiting=frozenset({"pending", "in_progress"}),
        done=frozenset({"completed"}),
        failed=frozenset({"failed", "expired"}),
        cancelled=frozenset({"cancelled"}),
    ),
    errors=ErrorWords(
        codes=(("error", "code"),),
        messages=(("error", "message"), ("error",)),
        refused_phrases=("moderation", "flagged", "content policy", "safety", "sensitive"),
        spent_phrases=("insufficient credits",),
    ),
    polling=Polling(first_pause_s=5.0, growth=1.25, longest_pause_s=20.0),
)


class OpenRouter(Adapter):
    """The adapter."""

    def fitted(self, model: str, base_url: str, offer: Offer) -> Self:
        card = offer.card
        if card.get("id") != model or not set(KEPT) <= set(card):
            raise SettingsError(
                f"the limits of {model} are not known yet: check the address and key of this"
                " endpoint to read them from the service"
            )
        frames, side_px = card["supported_frame_images"], side_of(resolution_of(card))
        limits = replace(
            self.limits,
            clips=ClipLimits.of(card["supported_durations"]),
            sizes=tuple(size_of(ratio, side_px) for ratio in ratios_of(card)),
            takes_first="first_frame" in frames,
            takes_last="last_frame" in frames,
        )
        return replace(self, limits=limits, offer=offer)

    def submission(self, order: Order, model: str) -> ProviderRequest:
        card = self.offer.card
        document: dict[str, Any] = {
            "model": model,
            "prompt": order.prompt,
            "duration": order.duration_s,
        }
        if card.get("supported_aspect_ratios"):
            document["aspect_ratio"] = order.size.word
        if resolution := resolution_of(card):
            document["resolution"] = resolution
        if card.get("generate_audio"):
            document["generate_audio"] = False
        frames = [
            {"type": "image_url", "image_url": {"url": data_url(jpeg)}, "frame_type": frame_type}
            for frame_type, jpeg in (("first_frame", order.first), ("last_frame", order.last))
            if jpeg
        ]
        if frames:
            document["frame_images"] = frames
        return ProviderRequest("POST", PATH, document)

    def video(self, answer: Document) -> str:
        # Not the signed address at another host, which anybody who sees it could open.
        return f"{PATH}/{job_id_at(answer, 'id')}/content?index=0"

    def prices(self, model: str) -> Prices | None:
        return prices_of(self.offer.card) if self.offer.card.get("id") == model else None

    def card_call(self) -> ProviderRequest | None:
        return ProviderRequest("GET", f"{PATH}/models")

    def card(self, answer: Document, model: str) -> dict[str, Any]:
        listed = value_at(answer, "data")
        if not isinstance(listed, list):
            raise MalformedAnswerError("the list of video models contains no data")
        cards = {card["id"]: card for card in listed if isinstance(card, dict) and "id" in card}
        if model not in cards:
            raise SettingsError(
                f"OpenRouter does not list {model!r}; it has {', '.join(sorted(map(str, cards)))}"
            )
        return checked_card(cards[model], model)


def checked_card(listed: Mapping[str, Any], model: str) -> dict[str, Any]:
    """The parts of a card to store; raises SettingsError for a model that makes no such clips."""
    card: dict[str, Any] = {name: listed.get(name) for name in KEPT}
    for name in LISTS:
        card[name] = card[name] or []
        if not isinstance(card[name], list):
            raise MalformedAnswerError(f"{name} of {model} is {card[name]!r}; expected a list")
    durations = [it for it in card["supported_durations"] if isinstance(it, int)]
    card["supported_durations"] = sorted(it for it in durations if 0 < it <= LONGEST_S)
    if not card["supported_durations"]:
        raise SettingsError(f"{model} makes no clips of a chosen length from a prompt")
    for name in LISTS[1:]:
        card[name] = [it for it in card[name] if isinstance(it, str)]
    ratios, resolutions = card["supported_aspect_ratios"], card["supported_resolutions"]
    card["supported_aspect_ratios"] = [it for it in ratios if _RATIO.fullmatch(it)]
    card["supported_resolutions"] = [it for it in resolutions if side_of(it)]
    card["pricing_skus"] = card["pricing_skus"] if isinstance(card["pricing_skus"], dict) else {}
    return card


def resolution_of(card: Mapping[str, Any]) -> str:
    """The smallest offered resolution that is large enough, else the largest; "" if none.

    >>> resolution_of({"supported_resolutions": ["1080p", "480p", "768p"]})
    '768p'
    """
    offered = sorted(card.get("supported_resolutions") or [], key=side_of)
    enough = [word for word in offered if side_of(word) >= WANTED_SIDE_PX]
    return (enough or offered[-1:] or [""])[0]


def ratios_of(card: Mapping[str, Any]) -> list[str]:
    return card["supported_aspect_ratios"] or [USUAL_RATIO]


def side_of(resolution: str) -> int:
    """The shorter side of a resolution in pixels; the one we order for "", 0 if unreadable.

    >>> side_of("768p"), side_of("4K")
    (768, 2160)
    """
    if not resolution:
        return WANTED_SIDE_PX
    digits = resolution.removesuffix("p")
    return int(digits) if digits.isdecimal() else SIDES_PX.get(resolution, 0)


def size_of(ratio: str, side_px: int) -> Size:
    """The size of an aspect ratio.

    >>> size_of("9:16", 720)
    Size(word='9:16', width=720, height=1280)
    """
    width, height = map(int, ratio.split(":"))
    scale = side_px / min(width, height)
    return Size(ratio, round(width * scale), round(height * scale))


def prices_of(card: Mapping[str, Any]) -> Prices | None:
    """What a silent clip that starts from frames costs; None if no price applies to that.

    The names of prices consist of what is counted, the resolution and the sound; a price for our
    very case comes before a general one.
    """
    resolution, listed = resolution_of(card), card["pricing_skus"]
    skus = {str(name).lower(): amount_at(listed, name) for name in listed}
    sizes = [size_of(ratio, side_of(resolution)) for ratio in ratios_of(card)]
    most_px = max(size.width * size.height for size in sizes)
    units = {
        "dollars": Decimal(1),
        "cents": CENT,
        "tokens": Decimal(most_px * TOKEN_RATE) / TOKEN_PX,
    }
    prices = (
        amount * units[unit]
        for unit, names in PRICE_NAMES.items()
        for name in names
        if (amount := skus.get(name.format(resolution.lower()))) is not None
    )
    per_second = next(prices, None)
    if per_second is None:
        return None
    picture, least = (
        amount * CENT if (amount := skus.get(name)) else Decimal(0)
        for name in ("cents_per_image_input", "minimum_cents_per_generation")
    )
    frame_count = len(card["supported_frame_images"])
    return Prices(per_second, per_clip=picture * frame_count, least=least)


PROVIDER = OpenRouter(
    name="openrouter",
    title="OpenRouter",
    default_model="bytedance/seedance-2.0",
    limits=LIMITS,
    places=Places(reasons=(("error",), ("error", "message")), cost=("usage", "cost")),
    job_path=PATH,
    free_path="/key",
    usual_base_url="https://openrouter.ai/api/v1",
    caution="OpenRouter and the maker of the model may keep prompts and frames (no zero retention):"
    " send no footage of participants who did not agree to that.",
    dollars_per_unit=Decimal(1),
)
