import base64
import json

import pytest

from generation.backends.video.providers.adapters.kling import PROVIDER, signed_token
from generation.backends.video.providers.provider import (
    Offer,
    Order,
    ProviderRequest,
    Size,
    VideoSettings,
)

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

    assert call == ProviderRequest(
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


def test_one_key_goes_out_as_it_is_and_a_pair_signs():
    one = PROVIDER.headers(VideoSettings("", api_key="k"), 0.0)
    pair = PROVIDER.headers(VideoSettings("", api_key="k", secret_key="s"), 0.0)

    assert one == {"Authorization": "Bearer k"}
    assert pair["Authorization"].startswith("Bearer eyJ")


@pytest.mark.parametrize("is_pair", [False, True])
def test_both_kinds_of_key_are_taken(stage_of, tmp_path, is_pair):
    stage = stage_of("kling")
    keys = {} if is_pair else {"secret_key": ""}

    stage.backend(**keys).make_clip(stage.request(), tmp_path / "clip.mp4")

    assert len(stage.server.submitted) == 1


def test_older_model_makes_two_lengths_from_a_frame():
    older, newer = (
        PROVIDER.fitted(model, "", Offer()).limits.clips.offered_s
        for model in ("kling-video-o1", "kling-v3-omni")
    )

    assert (older, newer[0], newer[-1]) == ((5.0, 10.0), 3.0, 15.0)
