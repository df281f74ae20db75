import pytest

from generation.backends.video.providers.adapters.seedance import PROVIDER
from generation.backends.video.providers.provider import Offer, Order, ProviderRequest, Size

WIDE = Size("16:9", 1280, 720)


def test_submission_lists_text_and_frames_with_their_roles():
    call = PROVIDER.submission(Order("A cup falls.", 2, WIDE, b"first", b"last"), "seedance-1-5")

    first, last = ({"url": f"data:image/jpeg;base64,{text}"} for text in ("Zmlyc3Q=", "bGFzdA=="))
    assert call == ProviderRequest(
        "POST",
        "/contents/generations/tasks",
        {
            "model": "seedance-1-5",
            "content": [
                {"type": "text", "text": "A cup falls."},
                {"type": "image_url", "image_url": first, "role": "first_frame"},
                {"type": "image_url", "image_url": last, "role": "last_frame"},
            ],
            "resolution": "720p",
            "ratio": "adaptive",
            "duration": 2,
            "generate_audio": False,
            "watermark": False,
        },
    )


def test_submission_without_frames_names_the_shape():
    document = PROVIDER.submission(Order("A cup falls.", 2, WIDE), "seedance-1-5").document

    assert document["ratio"] == "16:9"
    assert document["content"] == [{"type": "text", "text": "A cup falls."}]


@pytest.mark.parametrize(
    ("model", "first_s", "last_s"),
    [
        ("dreamina-seedance-2-0-260128", 4, 15),
        ("doubao-seedance-2-0-260128", 4, 15),
        ("dreamina-seedance-2-5-260801", 4, 30),
        ("seedance-1-0-pro-250528", 2, 12),
        ("ep-20261101-abcde", 4, 15),
    ],
)
def test_lengths_are_those_of_the_generation(model, first_s, last_s):
    clips = PROVIDER.fitted(model, "", Offer()).limits.clips

    assert (clips.min_s, clips.max_s) == (first_s, last_s)
