from decimal import Decimal

from generation.backends.video.providers.adapters.runway import MODELS, PROVIDER
from generation.backends.video.providers.provider import (
    Offer,
    Order,
    ProviderRequest,
    Size,
    VideoSettings,
)


def test_submission_starts_from_the_first_frame():
    order = Order("A cup falls.", 10, Size("1280:720", 1280, 720), b"first")

    assert PROVIDER.submission(order, "gen4_turbo") == ProviderRequest(
        "POST",
        "/v1/image_to_video",
        {
            "model": "gen4_turbo",
            "promptText": "A cup falls.",
            "promptImage": [{"uri": "data:image/jpeg;base64,Zmlyc3Q=", "position": "first"}],
            "ratio": "1280:720",
            "duration": 10,
        },
    )


def test_headers_name_the_key_and_the_version_of_the_interface():
    assert PROVIDER.headers(VideoSettings("", api_key="k"), 0.0) == {
        "Authorization": "Bearer k",
        "X-Runway-Version": "2024-11-06",
    }


def document_of(model, **changes):
    adapter = PROVIDER.fitted(model, "", Offer())
    order = Order("A cup falls.", 5, adapter.limits.sizes[0], b"first", **changes)
    return adapter.submission(order, model).document


def test_each_model_gets_the_fields_that_it_has():
    frames = ("promptImage", "promptText", "model", "duration")

    extra = {
        model: {name: value for name, value in document_of(model).items() if name not in frames}
        for model in ("gen4.5", "veo3.1", "kling2.5_turbo_pro", "wan3", "h3_max", "hailuo3")
    }

    assert extra == {
        "gen4.5": {"ratio": "1280:720"},
        "veo3.1": {"ratio": "1280:720", "audio": False},
        "kling2.5_turbo_pro": {},
        "wan3": {"ratio": "auto_720p", "audio": False},
        "h3_max": {"resolution": "768p"},
        "hailuo3": {"ratio": "adaptive", "resolution": "768p"},
    }


def test_last_frame_goes_to_models_that_take_one():
    pictures = document_of("veo3.1", last=b"last")["promptImage"]

    assert [picture["position"] for picture in pictures] == ["first", "last"]
    takes = {model for model in MODELS if PROVIDER.fitted(model, "", Offer()).limits.takes_last}
    assert set(MODELS) - takes == {"gen4.5", "gen4_turbo"}


def test_credits_cost_a_cent():
    assert PROVIDER.dollars(Decimal(48)) == Decimal("0.48")
