"""Orders, limits and prices of OpenRouter's models, from cards as the service writes them."""

from decimal import Decimal

import pytest

from generation.backends.exceptions import RejectedError
from generation.backends.video.providers.adapters.openrouter import (
    PROVIDER,
    checked_card,
    prices_of,
)
from generation.backends.video.providers.exceptions import (
    MalformedAnswerError,
    QuotaSpentError,
    SettingsError,
)
from generation.backends.video.providers.provider import Offer, Order, Prices, ProviderRequest, Size
from tests.fakes.video_provider_forms import CARD, KEPT_CARD

DATA = "data:image/jpeg;base64,"


def fitted(**changes):
    card = checked_card({**CARD, **changes}, "maker/film-2")
    return PROVIDER.fitted("maker/film-2", "", Offer(card=card))


def test_submission_names_shape_resolution_and_frames():
    order = Order("A cup falls.", 4, Size("16:9", 1280, 720), b"first", b"last")

    assert fitted().submission(order, "maker/film-2") == ProviderRequest(
        "POST",
        "/videos",
        {
            "model": "maker/film-2",
            "prompt": "A cup falls.",
            "duration": 4,
            "aspect_ratio": "16:9",
            "resolution": "720p",
            "generate_audio": False,
            "frame_images": [
                {
                    "type": "image_url",
                    "image_url": {"url": f"{DATA}Zmlyc3Q="},
                    "frame_type": "first_frame",
                },
                {
                    "type": "image_url",
                    "image_url": {"url": f"{DATA}bGFzdA=="},
                    "frame_type": "last_frame",
                },
            ],
        },
    )


def test_options_that_the_model_lacks_are_not_sent():
    adapter = fitted(supported_aspect_ratios=None, supported_resolutions=None, generate_audio=None)

    order = Order("A cup falls.", 4, adapter.limits.sizes[0])
    document = adapter.submission(order, "maker/film-2").document

    assert document == {"model": "maker/film-2", "prompt": "A cup falls.", "duration": 4}
    assert adapter.limits.sizes == (Size("16:9", 1280, 720),)


@pytest.mark.parametrize(
    ("frames", "takes"),
    [
        (["first_frame", "last_frame"], (True, True)),
        (["first_frame"], (True, False)),
        ([], (False, False)),
        (None, (False, False)),
    ],
)
def test_frames_are_those_that_the_card_names(frames, takes):
    limits = fitted(supported_frame_images=frames).limits

    assert (limits.takes_first, limits.takes_last) == takes


@pytest.mark.parametrize(
    ("resolutions", "sizes"),
    [
        (["480p", "720p", "1080p"], {"16:9": (1280, 720), "9:16": (720, 1280)}),
        (["768p", "480p"], {"16:9": (1365, 768), "9:16": (768, 1365)}),
        (["2K"], {"16:9": (2560, 1440), "9:16": (1440, 2560)}),
        (["480p"], {"16:9": (853, 480), "9:16": (480, 853)}),
        (["8D", "1080p"], {"16:9": (1920, 1080), "9:16": (1080, 1920)}),
    ],
)
def test_picture_is_as_small_as_it_may_be(resolutions, sizes):
    adapter = fitted(
        supported_resolutions=resolutions, supported_aspect_ratios=["16:9", "9:16", "round"]
    )

    assert {it.word: (it.width, it.height) for it in adapter.limits.sizes} == sizes


@pytest.mark.parametrize(
    ("skus", "prices"),
    [
        # Names and figures as the service listed them in October 2026.
        ({"duration_seconds": "0.1"}, Prices(Decimal("0.1"))),
        (
            {
                "duration_seconds_with_audio": "0.12",
                "duration_seconds_with_audio_720p": "0.10",
                "duration_seconds_without_audio": "0.10",
                "duration_seconds_without_audio_720p": "0.08",
            },
            Prices(Decimal("0.08")),
        ),
        (
            {
                "text_to_video_duration_seconds_720p": "0.08",
                "image_to_video_duration_seconds_720p": "0.10",
            },
            Prices(Decimal("0.10")),
        ),
        ({"cents_per_second_output": "12"}, Prices(Decimal("0.12"))),
        (
            {"cents_per_second_output": "17", "cents_per_second_output_720p": "16"},
            Prices(Decimal("0.16")),
        ),
        (
            {"cents_per_image_input": "1", "cents_per_video_output_second_720p": "3"},
            Prices(Decimal("0.03"), per_clip=Decimal("0.02")),
        ),
        (
            {"cents_per_second_output": "28", "minimum_cents_per_generation": "56"},
            Prices(Decimal("0.28"), least=Decimal("0.56")),
        ),
        ({"per-video-second": "0.50"}, Prices(Decimal("0.50"))),
        # 1,280 x 720 pictures, 24 a second, 1,024 pixels to a token.
        ({"video_tokens": "0.000007"}, Prices(Decimal("0.1512"))),
        ({"cents_per_megapixel_second_precise": "7.5"}, None),
        ({"duration_seconds": "free"}, None),
        ({}, None),
        (None, None),
    ],
    ids=str,
)
def test_price_is_that_of_a_silent_clip_from_frames(skus, prices):
    ratios = {"supported_aspect_ratios": ["16:9", "1:1"]}

    assert prices_of(checked_card({**CARD, **ratios, "pricing_skus": skus}, "m")) == prices


def test_clips_cost_their_seconds_pictures_and_at_least_the_minimum():
    prices = Prices(Decimal("0.1"), per_clip=Decimal("0.02"), least=Decimal("0.5"))

    assert [prices.of(2), prices.of(10), prices.of(6, 3)] == [
        Decimal("0.5"),
        Decimal("1.02"),
        Decimal("1.5"),
    ]


def test_kept_card_holds_what_limits_and_prices_need():
    assert checked_card(CARD, "maker/film-2") == KEPT_CARD


@pytest.mark.parametrize(
    ("answer", "error", "words"),
    [
        ({"data": []}, SettingsError, "does not list 'maker/film-2'; it has "),
        ({"error": {}}, MalformedAnswerError, "contains no data"),
        (
            {"data": [{**CARD, "supported_durations": "4"}]},
            MalformedAnswerError,
            "supported_durations of maker/film-2 is '4'; expected a list",
        ),
        (
            {"data": [{**CARD, "supported_durations": [0, "5", 900]}]},
            SettingsError,
            "makes no clips of a chosen length",
        ),
    ],
    ids=str,
)
def test_unusable_card_is_reported(answer, error, words):
    with pytest.raises(error, match=words):
        PROVIDER.card(answer, "maker/film-2")


@pytest.mark.parametrize(("do", "error"), [("large", RejectedError), ("spent", QuotaSpentError)])
def test_documented_refusals_of_an_order_are_distinguished(stage_of, do, error, tmp_path):
    stage = stage_of("openrouter")
    stage.server.submissions = [{"do": do}]

    with pytest.raises(error):
        stage.backend().make_clip(stage.request(), tmp_path / "clip.mp4")


def test_file_is_fetched_from_the_service_with_the_key(stage_of, tmp_path):
    stage = stage_of("openrouter")

    stage.backend().make_clip(stage.request(), tmp_path / "clip.mp4")

    last = stage.server.asked[-1]
    assert (last.method, last.path) == ("GET", "/videos/job-17/content?index=0")
    assert last.headers["authorization"] == "Bearer key-very-secret"


def test_job_cannot_be_cancelled():
    assert PROVIDER.cancellation("job-17") is None
