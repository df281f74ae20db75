import base64
import json

from generation.backends.video.providers.adapters.kling import PROVIDER, signed_token
from generation.backends.video.providers.provider import Call, Order, Size

WIDE = Size("16:9", 1920, 1080)


def test_token_is_the_one_of_the_specifications_own_recipe():
    # Signed with openssl: printf '%s.%s' HEAD CLAIMS | openssl dgst -sha256 -hmac pair -binary
    token = signed_token("key", "pair", 1_700_000_000)

    head, claims, signature = token.split(".")
    assert head == "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9"
    assert json.loads(base64.urlsafe_b64decode(claims + "==")) == {
        "iss": "key",
        "exp": 1_700_001_800,
        "nbf": 1_699_999_995,
    }
    assert signature == "PM3Cv8bNfvnFHJNCvGkVi7rmU4EHTX40BfOCDYC7iXo"


def test_submission_names_both_frames_by_their_roles():
    call = PROVIDER.submission(Order("A cup falls.", 5, WIDE, b"first", b"last"), "kling-video-o1")

    assert call == Call(
        "POST",
        "/v1/videos/omni-video",
        {
            "model_name": "kling-video-o1",
            "prompt": "A cup falls.",
            "mode": "pro",
            "duration": "5",
            "sound": "off",
            "image_list": [
                {"image_url": "Zmlyc3Q=", "type": "first_frame"},
                {"image_url": "bGFzdA==", "type": "end_frame"},
            ],
        },
    )


def test_submission_without_frames_names_the_shape():
    document = PROVIDER.submission(Order("A cup falls.", 3, WIDE), "kling-video-o1").document

    assert (document["image_list"], document["aspect_ratio"]) == ([], "16:9")
