from generation.backends.video.providers.adapters.runway import PROVIDER
from generation.backends.video.providers.provider import Call, Order, Size, VideoSettings


def test_submission_starts_from_the_first_frame():
    order = Order("A cup falls.", 10, Size("1280:720", 1280, 720), b"first")

    assert PROVIDER.submission(order, "gen4_turbo") == Call(
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
